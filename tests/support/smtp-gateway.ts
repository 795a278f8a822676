import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { selfSignedCertificate } from './certificate.ts'

/** A mail that the gateway has read to its end. */
export type ReceivedMail = {
  secure: boolean
  user: unknown
  from: string
  to: string[]
  text: string
  /** The lines of its header with this name, without the name. */
  header(name: string): string[]
}

/** A mail gateway on localhost that keeps what it is given. */
export type SmtpGateway = {
  port: number
  received: ReceivedMail[]
  stop(): Promise<void>
}

const { cert, key } = selfSignedCertificate()

/** The certificate that gateways of this process show, which vouches for itself. */
export const CERTIFICATE = cert

/**
 * Starts a gateway, with STARTTLS unless `secure` says TLS from the start. `onMail` is awaited before it says that it has
 * taken a mail.
 */
export async function startGateway(
  { onMail, ...options }: SMTPServerOptions & { onMail?: (mail: ReceivedMail) => unknown } = {},
  port = 0,
): Promise<SmtpGateway> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    cert,
    key,
    authOptional: true,
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('wrong')),
    onData: async (stream, { secure, user, envelope }, done) => {
      const text = await textOf(stream)
      // The connection was cut: there is no mail, and nobody to answer.
      if (text === null) return
      const { mailFrom, rcptTo } = envelope
      const from = mailFrom ? mailFrom.address : ''
      const to = rcptTo.map(({ address }) => address)
      const mail = { secure, user, from, to, text, header: (name: string) => headersOf(text, name) }
      received.push(mail)
      await onMail?.(mail)
      done()
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string | null> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of stream) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  } catch {
    return null
  }
}

function headersOf(text: string, name: string): string[] {
  const [head = ''] = text.split('\r\n\r\n', 1)
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  const start = `${name.toLowerCase()}: `
  return lines.filter((line) => line.toLowerCase().startsWith(start)).map((line) => line.slice(start.length))
}
