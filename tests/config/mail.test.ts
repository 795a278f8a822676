import { expect, test } from 'bun:test'
import { backendConfig, backendFaults, certificate, labelled } from '../support/variables.ts'

const mail = { SMTP_HOST: 'mail.example.org', SMTP_FROM: 'keyward@example.org' }
const smtp = {
  host: 'mail.example.org',
  port: 587,
  user: null,
  password: null,
  from: 'keyward@example.org',
  fromName: 'Keyward',
  subjectPrefix: '',
  tls: 'starttls',
  ca: null,
}

test.each(
  labelled<object>([
    [{}, smtp],
    [{ SMTP_TLS: 'STARTTLS' }, smtp],
    [{ SMTP_TLS: 'tls' }, { ...smtp, tls: 'tls', port: 465 }],
    [{ SMTP_TLS: 'none' }, { ...smtp, tls: 'none', port: 25 }],
    [
      { SMTP_TLS: 'tls', SMTP_PORT: '2465' },
      { ...smtp, tls: 'tls', port: 2465 },
    ],
    [
      { SMTP_USER: 'me@example.org', SMTP_PASSWORD: 'p' },
      { ...smtp, user: 'me@example.org', password: 'p' },
    ],
    [{ SMTP_CA: certificate }, { ...smtp, ca: certificate.trim() }],
    [{ SMTP_HOST: '[::1]' }, { ...smtp, host: '::1' }],
    [{ SMTP_FROM_NAME: 'Example “Keys”' }, { ...smtp, fromName: 'Example “Keys”' }],
    [{ MAIL_SUBJECT_PREFIX: '[Keyward]' }, { ...smtp, subjectPrefix: '[Keyward]' }],
  ]),
)('the mail gateway is understood from %s', (_, variables, expected) => {
  expect(backendConfig({ ...mail, ...variables }).smtp).toEqual(expected as never)
})

test.each(
  labelled<string>([
    [{ SMTP_HOST: '' }, 'SMTP_FROM needs SMTP_HOST.'],
    [{ SMTP_FROM: '' }, 'SMTP_HOST needs SMTP_FROM'],
    [{ SMTP_HOST: 'mail:25' }, 'SMTP_HOST is "mail:25"; it must be a host name'],
    [{ SMTP_PORT: '0' }, 'SMTP_PORT is "0"; it must be'],
    [{ SMTP_USER: 'u' }, 'SMTP_USER and SMTP_PASSWORD belong together'],
    [{ SMTP_PASSWORD: 'p' }, 'SMTP_USER and SMTP_PASSWORD belong together'],
    [{ SMTP_TLS: 'ssl' }, 'SMTP_TLS is "ssl"; it must be starttls, tls or none.'],
    [{ SMTP_CA: certificate, SMTP_TLS: 'none' }, 'SMTP_CA is not checked with SMTP_TLS none'],
    [{ SMTP_CA: '/no/ca.pem' }, 'SMTP_CA is taken for a path'],
    [{ SMTP_HOST: '', SMTP_FROM: '', MAIL_SUBJECT_PREFIX: '[K]' }, 'MAIL_SUBJECT_PREFIX needs SMTP_HOST.'],
    [{ SMTP_FROM_NAME: 'K\r\nBcc: a@b.example' }, 'SMTP_FROM_NAME contains a line break'],
    [{ MAIL_SUBJECT_PREFIX: 'K\nBcc: a@b.example' }, 'MAIL_SUBJECT_PREFIX contains a line break'],
    [{ SMTP_FROM_NAME: 'k'.repeat(65) }, 'it must be at most 64 characters long'],
    [{ MAIL_SUBJECT_PREFIX: 'k'.repeat(65) }, 'it must be at most 64 characters long'],
    [{ SMTP_FROM: 'keyward' }, 'SMTP_FROM is "keyward"; it must be an e-mail address'],
    [{ SMTP_FROM: `a@${'b'.repeat(253)}` }, 'SMTP_FROM must be an e-mail address'],
  ]),
)('the mail gateway can not be %s', (_, variables, fault) => {
  expect(backendFaults({ ...mail, ...variables })).toEqual([expect.stringContaining(fault)])
})

test('a mail address in a fault is not shown', () => {
  expect(backendFaults({ ...mail, SMTP_FROM: 'Key Ward <someone@example.org>' })).toEqual([
    'SMTP_FROM must be an e-mail address, such as keyward@example.org.',
  ])
})
