import { afterEach, expect, test } from 'bun:test'
import { createMailer, type MailGateway, memoryMailer } from '../../../src/platform/mail/mailer.ts'
import { selfSignedCertificate } from '../../support/certificate.ts'
import { CERTIFICATE, type ReceivedMail, startGateway } from '../../support/smtp-gateway.ts'

const other = selfSignedCertificate()
const mail = {
  id: 'c0ffee00-0000-4000-8000-000000000001',
  to: 'grace@example.org',
  subject: 'Join Café Ünlimited on Keyward',
  text: 'Follow this link:\n\nhttps://keyward.example.org/invite#token',
  html: '<p>Follow <a href="https://keyward.example.org/invite#token">this link</a>.</p>',
}

const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0)) await one()
})

async function gateway(options: Parameters<typeof startGateway>[0] = {}) {
  const started = await startGateway(options)
  undo.push(started.stop)
  return started
}

function mailerTo({ port }: { port: number }, settings: Partial<MailGateway> = {}, seconds?: number) {
  const mailer = createMailer(
    {
      host: 'localhost',
      port,
      user: null,
      password: null,
      from: 'keyward@example.org',
      fromName: 'Keyward',
      subjectPrefix: '',
      tls: 'starttls',
      ca: CERTIFICATE,
      ...settings,
    },
    seconds,
  )
  undo.push(() => mailer.close())
  return mailer
}

test('a mail goes over STARTTLS, signed in, to a gateway that the configured authority vouches for', async () => {
  const to = await gateway()
  await mailerTo(to, { user: 'keyward', password: 'right' }).send(mail)
  expect(to.received).toEqual([
    {
      secure: true,
      user: 'keyward',
      from: 'keyward@example.org',
      to: ['grace@example.org'],
      text: expect.stringContaining('Content-Type: text/plain; charset=utf-8'),
      header: expect.any(Function),
    },
  ])
  const [{ text = '' } = {}] = to.received
  expect(text).toContain('https://keyward.example.org/invite#token')
  expect(text).toContain('Subject: =?UTF-8?Q?Join_Caf=C3=A9_')
})

test('with tls the connection to the mail gateway is encrypted from the start', async () => {
  const to = await gateway({ secure: true })
  await mailerTo(to, { tls: 'tls' }).send(mail)
  expect(to.received.map(({ secure }) => secure)).toEqual([true])
})

test('mail is sent unencrypted only with none', async () => {
  const to = await gateway({ disabledCommands: ['STARTTLS'] })
  await expect(mailerTo(to).send(mail)).rejects.toThrow()
  expect(to.received).toEqual([])
  await mailerTo(to, { tls: 'none', ca: null }).send(mail)
  expect(to.received.map(({ secure }) => secure)).toEqual([false])
})

test.each([
  ['another authority', { ca: other.cert }],
  ['the system’s authorities', { ca: null }],
  ['a name that the certificate is not for', { host: '127.0.0.1' }],
  ['a wrong password', { user: 'keyward', password: 'wrong' }],
])('with %s nothing is sent', async (_, settings) => {
  const to = await gateway()
  await expect(mailerTo(to, settings).send(mail)).rejects.toThrow()
  expect(to.received).toEqual([])
})

test('sending fails when the gateway refuses the mail or is unreachable', async () => {
  const refuse = await gateway({ onRcptTo: (_address, _session, done) => done(new Error('nobody')) })
  await expect(mailerTo(refuse).send(mail)).rejects.toThrow()
  const gone = await gateway()
  await undo.pop()?.()
  await expect(mailerTo(gone).send(mail)).rejects.toThrow()
})

test('an address with a comma is not sent as a list of addresses', async () => {
  const to = await gateway()
  await mailerTo(to)
    .send({ ...mail, to: 'a@example.org,b@example.org' })
    .catch(() => {})
  expect(to.received.flatMap((mail) => mail.to)).not.toContain('b@example.org')
})

test('a mail is text and HTML, names its sender, and asks for no answer from programs', async () => {
  const to = await gateway()
  await mailerTo(to, { fromName: 'Example “Keys”, Ltd', subjectPrefix: '[Keyward]' }).send({
    ...mail,
    subject: 'Set a new password',
  })
  const [{ header, text }] = to.received as [ReceivedMail]
  expect(header('Content-Type')[0]).toStartWith('multipart/alternative')
  // The richest form comes last (RFC 2046).
  expect(text.indexOf('text/plain')).toBeLessThan(text.indexOf('text/html'))
  expect(header('From')[0]).toEndWith(' <keyward@example.org>')
  expect(header('From')[0]).toContain('=?UTF-8?')
  expect(header('Subject')).toEqual(['[Keyward] Set a new password'])
  expect(header('Auto-Submitted')).toEqual(['auto-generated'])
})

test('a mail that is sent again has the same Message-ID, in the domain of the sender, and another one another', async () => {
  const to = await gateway()
  const mailer = mailerTo(to)
  await mailer.send(mail)
  await mailer.send(mail)
  await mailer.send({ ...mail, id: 'another' })
  expect(to.received.map(({ header }) => header('Message-ID'))).toEqual([
    [`<${mail.id}@example.org>`],
    [`<${mail.id}@example.org>`],
    ['<another@example.org>'],
  ])
})

test('line breaks in a subject, a name or an address add no header and no recipient', async () => {
  const to = await gateway()
  const more = '\r\nBcc: eve@example.org\r\nX-Evil: yes\r\n\r\nbody'
  const settings = { fromName: `Keyward${more}`, subjectPrefix: `[K]${more}` }
  await mailerTo(to, settings).send({ ...mail, subject: `Join${more}` })
  await mailerTo(to)
    .send({ ...mail, to: `grace@example.org${more}` })
    .catch(() => {})
  for (const received of to.received) {
    expect(received.to).not.toContain('eve@example.org')
    expect(received.header('Bcc')).toEqual([])
    expect(received.header('X-Evil')).toEqual([])
  }
  expect(to.received[0]?.to).toEqual(['grace@example.org'])
})

test.each(['its own', 'its job’s'])(
  'a mail is given up, and its connection closed, when %s time is over',
  async (whose) => {
    const closed = Promise.withResolvers<void>()
    const to = await gateway({
      onMail: () => new Promise(() => {}),
      onClose: () => closed.resolve(),
    })
    const ending = new AbortController()
    setTimeout(() => ending.abort(), 300)
    const mailer = mailerTo(to, {}, whose === 'its own' ? 0.3 : undefined)
    const signal = whose === 'its own' ? undefined : ending.signal
    expect(await mailer.send(mail, signal).catch((error) => error)).toBeInstanceOf(Error)
    await closed.promise
  },
)

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
