import nodemailer from 'nodemailer'
import { traceCall } from '../tracing.ts'

/**
 * One mail to one address, as HTML and as plain text. Its `Message-ID` is made from `id` and the sender's domain: two
 * mails of the same id are the same mail, sent twice.
 */
export type Mail = Readonly<{ id: string; to: string; subject: string; text: string; html: string }>

/** Hands mails to the gateway. Rejects when the gateway does not take one. */
export type Mailer = {
  /** Given up when `signal` is aborted. */
  send(mail: Mail, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/**
 * How to reach the gateway; `ca` is PEM text that replaces the system's authorities. `fromName` is shown beside the
 * sender's address, and `subjectPrefix` stands before every subject; either may be empty.
 */
export type MailGateway = Readonly<{
  host: string
  port: number
  user: string | null
  password: string | null
  from: string
  fromName: string
  subjectPrefix: string
  tls: 'starttls' | 'tls' | 'none'
  ca: string | null
}>

/** Less than a job may take: while one worker still sends a mail, no other begins to. */
export const MAIL_SECONDS = 90

/**
 * A mailer over SMTP; a connection for each mail, given up after 30 s of silence, or `seconds` in all. With `starttls` a gateway that does
 * not offer it is refused: neither a password nor a link travels in the clear unless `none` says so. Without a gateway
 * every mail is rejected.
 */
export function createMailer(gateway: MailGateway | null, seconds = MAIL_SECONDS): Mailer {
  if (gateway === null) {
    return { send: () => Promise.reject(new Error('There is no mail gateway.')), close: async () => {} }
  }
  const { host, port, user, password, tls, ca } = gateway
  const transport = nodemailer.createTransport({
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user !== null && password !== null && { auth: { user, pass: password } }),
    ...(ca !== null && { tls: { ca } }),
  })
  return {
    async send({ id, to, subject, text, html }, signal) {
      const deadline = AbortSignal.timeout(seconds * 1000)
      const mail = {
        // As objects: a text would be read as a list of addresses.
        from: { name: gateway.fromName, address: gateway.from },
        to: { name: '', address: to },
        subject: [gateway.subjectPrefix, subject].filter(Boolean).join(' '),
        text,
        html,
        messageId: `<${id}@${gateway.from.slice(gateway.from.lastIndexOf('@') + 1)}>`,
        headers: AUTOMATIC,
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      }
      await traceCall('SMTP send', { 'network.protocol.name': 'smtp' }, () => transport.sendMail(mail))
    },
    close: async () => transport.close(),
  }
}

const TIMEOUT_MS = 30_000

/** Absence notes and the like are not to answer (RFC 3834; the second is Exchange's). */
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }

/** A mailer for tests, which keeps what it is given. */
export function memoryMailer(): Mailer & { readonly sent: readonly Mail[] } {
  const sent: Mail[] = []
  return { sent, send: async (mail) => void sent.push(mail), close: async () => {} }
}
