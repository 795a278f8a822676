import { Type } from 'typebox'
import { parseHost } from './addresses.ts'
import { readCertificates } from './certificates.ts'
import type { Settings } from './settings.ts'

/** The mail gateway; `ca` is PEM text. */
export type Smtp = Readonly<{
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

const PORTS = { starttls: 587, tls: 465, none: 25 } as const
const OTHERS = [
  ...([
    'SMTP_PORT',
    'SMTP_USER',
    'SMTP_PASSWORD',
    'SMTP_FROM',
    'SMTP_FROM_NAME',
    'SMTP_TLS',
    'SMTP_CA',
  ] as const),
  'MAIL_SUBJECT_PREFIX',
] as const

const EmailAddress = {
  ...Type.String({
    maxLength: 254,
    pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$",
  }),
  description: 'an e-mail address, such as keyward@example.org',
}

const ShortText = { ...Type.String({ maxLength: 64 }), description: 'at most 64 characters long' }

/** The mail gateway of the SMTP_ variables; null when none is set. */
export function readSmtp(settings: Settings): Smtp | null {
  const others = OTHERS.filter((name) => settings.isSet(name))
  if (!settings.isSet('SMTP_HOST')) {
    if (others.length === 0) return null
    settings.fault(`${others.join(', ')} needs SMTP_HOST.`)
  } else if (!settings.isSet('SMTP_FROM')) {
    settings.fault('SMTP_HOST needs SMTP_FROM, the e-mail address that mail is sent from.')
  }
  if (settings.isSet('SMTP_USER') !== settings.isSet('SMTP_PASSWORD')) {
    settings.fault('SMTP_USER and SMTP_PASSWORD belong together; set both or neither.')
  }
  const name = settings.text('SMTP_HOST')
  const host = name === null ? '' : parseHost(name)
  if (host === null) settings.reject('SMTP_HOST', 'a host name or an IP address, without scheme and port')
  const tls = settings.word('SMTP_TLS', ['starttls', 'tls', 'none']) ?? 'starttls'
  if (tls === 'none' && settings.isSet('SMTP_CA')) {
    settings.fault(
      'SMTP_CA is not checked with SMTP_TLS none; set SMTP_TLS to starttls or tls, or remove it.',
    )
  }
  return {
    host: host?.replace(/^\[|\]$/g, '') ?? '',
    port: settings.port('SMTP_PORT') ?? PORTS[tls],
    user: settings.text('SMTP_USER'),
    password: settings.secret('SMTP_PASSWORD'),
    from: settings.form('SMTP_FROM', EmailAddress) ?? '',
    fromName: settings.form('SMTP_FROM_NAME', ShortText) ?? '',
    subjectPrefix: settings.form('MAIL_SUBJECT_PREFIX', ShortText) ?? '',
    tls,
    ca: readCertificates(settings, 'SMTP_CA'),
  }
}
