import nodemailer from 'nodemailer'
import { traceCall } from '../tracing.ts'

/** One plain-text mail to one address. */
export type Mail = Readonly<{ to: string; subject: string; text: string }>

/** Hands mails to the gateway. Rejects when the gateway does not take one. */
export type Mailer = {
  send(mail: Mail): Promise<void>
  close(): Promise<void>
}

/** How to reach the gateway; `ca` is PEM text that replaces the system's authorities. */
export type MailGateway = Readonly<{
  host: string
  port: number
  user: string | null
  password: string | null
  from: string
  tls: 'starttls' | 'tls' | 'none'
  ca: string | null
}>

/**
 * A mailer over SMTP; a connection for each mail, given up after 30 s of silence. With `starttls` a gateway that does
 * not offer it is refused: neither a password nor a link travels in the clear unless `none` says so. Without a gateway
 * every mail is rejected.
 */
export function createMailer(gateway: MailGateway | null): Mailer {
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
    async send({ to, subject, text }) {
      // As an object: a text would be read as a list of addresses.
      const address = { name: '', address: to }
      const mail = { from: gateway.from, to: address, subject, text }
      await traceCall('SMTP send', { 'network.protocol.name': 'smtp' }, () => transport.sendMail(mail))
    },
    close: async () => transport.close(),
  }
}

const TIMEOUT_MS = 30_000

/** A mailer for tests, which keeps what it is given. */
export function memoryMailer(): Mailer & { readonly sent: readonly Mail[] } {
  const sent: Mail[] = []
  return { sent, send: async (mail) => void sent.push(mail), close: async () => {} }
}
