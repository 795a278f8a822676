import { afterEach, expect, test } from 'bun:test'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { createMailer, type MailGateway, memoryMailer } from '../../../src/platform/mail/mailer.ts'
import { selfSignedCertificate } from '../../support/certificate.ts'

const { cert, key } = selfSignedCertificate()
const other = selfSignedCertificate()
const mail = {
  id: 'c0ffee00-0000-4000-8000-000000000001',
  to: 'grace@example.org',
  subject: 'Join Café Ünlimited on Keyward',
  text: 'Follow this link:\n\nhttps://keyward.example.org/invite#token',
  html: '<p>Follow <a href="https://keyward.example.org/invite#token">this link</a>.</p>',
}
type Received = { secure: boolean; user: unknown; from: string; to: string[]; text: string }

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0)) await one()
})

/** A gateway on localhost that keeps what it is given. */
async function gateway(options: SMTPServerOptions = {}) {
  const received: Received[] = []
  const server = new SMTPServer({
    cert,
    key,
    authOptional: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(new Error('wrong')),
    onData: async (stream, { secure, user, envelope }, done) => {
      let text = ''
      for await (const chunk of stream) text += chunk
      const { mailFrom, rcptTo } = envelope
      const from = mailFrom ? mailFrom.address : ''
      received.push({ secure, user, from, to: rcptTo.map(({ address }) => address), text })
      done()
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  undo.push(() => new Promise((resolve) => server.close(() => resolve())))
  const { port } = server.server.address() as AddressInfo
  return { port, received }
}

function mailerTo(port: number, settings: Partial<MailGateway> = {}) {
  const mailer = createMailer({
    host: 'localhost',
    port,
    user: null,
    password: null,
    from: 'keyward@example.org',
    fromName: 'Keyward',
    subjectPrefix: '',
    tls: 'starttls',
    ca: cert,
    ...settings,
  })
  undo.push(() => mailer.close())
  return mailer
}

test('a mail goes over STARTTLS, signed in, to a gateway that the configured authority vouches for', async () => {
  const { port, received } = await gateway()
  await mailerTo(port, { user: 'keyward', password: 'right' }).send(mail)
  expect(received).toEqual([
    {
      secure: true,
      user: 'keyward',
      from: 'keyward@example.org',
      to: ['grace@example.org'],
      text: expect.stringContaining('Content-Type: text/plain; charset=utf-8'),
    },
  ])
  const [{ text = '' } = {}] = received
  expect(text).toContain('https://keyward.example.org/invite#token')
  expect(text).toContain('Subject: =?UTF-8?Q?Join_Caf=C3=A9_')
})

test('with tls the connection to the mail gateway is encrypted from the start', async () => {
  const { port, received } = await gateway({ secure: true })
  await mailerTo(port, { tls: 'tls' }).send(mail)
  expect(received.map(({ secure }) => secure)).toEqual([true])
})

test('mail is sent unencrypted only with none', async () => {
  const { port, received } = await gateway({ disabledCommands: ['STARTTLS'] })
  await expect(mailerTo(port).send(mail)).rejects.toThrow()
  expect(received).toEqual([])
  await mailerTo(port, { tls: 'none', ca: null }).send(mail)
  expect(received.map(({ secure }) => secure)).toEqual([false])
})

test.each([
  ['another authority', { ca: other.cert }],
  ['the system’s authorities', { ca: null }],
  ['a name that the certificate is not for', { host: '127.0.0.1' }],
  ['a wrong password', { user: 'keyward', password: 'wrong' }],
])('with %s nothing is sent', async (_, settings) => {
  const { port, received } = await gateway()
  await expect(mailerTo(port, settings).send(mail)).rejects.toThrow()
  expect(received).toEqual([])
})

test('sending fails when the gateway refuses the mail or is unreachable', async () => {
  const refuse = await gateway({ onRcptTo: (_address, _session, done) => done(new Error('nobody')) })
  await expect(mailerTo(refuse.port).send(mail)).rejects.toThrow()
  const gone = await gateway()
  await undo.pop()?.()
  await expect(mailerTo(gone.port).send(mail)).rejects.toThrow()
})

test('an address with a comma is not sent as a list of addresses', async () => {
  const { port, received } = await gateway()
  await mailerTo(port)
    .send({ ...mail, to: 'a@example.org,b@example.org' })
    .catch(() => {})
  expect(received.flatMap(({ to }) => to)).not.toContain('b@example.org')
})

test('without a gateway every mail is rejected', async () => {
  const mailer = createMailer(null)
  await expect(mailer.send(mail)).rejects.toThrow('There is no mail gateway.')
  await mailer.close()
})

test('the in-memory mailer keeps its mails', async () => {
  const mailer = memoryMailer()
  await mailer.send(mail)
  expect(mailer.sent).toEqual([mail])
})
