import type { KvConfig } from '../platform/kv/kv.ts'
import type { DatabaseConfig } from '../platform/postgres/database.ts'
import { parseHost } from './addresses.ts'
import { parseCertificates, readCertificates } from './certificates.ts'
import type { PlainName, Settings } from './settings.ts'

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const
const DATABASE_PARTS = [
  'DATABASE_HOST',
  'DATABASE_PORT',
  'DATABASE_NAME',
  'DATABASE_USER',
  'DATABASE_PASSWORD',
  'DATABASE_SSLMODE',
  'DATABASE_SSL_CA',
] as const
const REDIS_PARTS = [
  'REDIS_HOST',
  'REDIS_PORT',
  'REDIS_USERNAME',
  'REDIS_PASSWORD',
  'REDIS_DATABASE',
  'REDIS_TLS',
] as const

/** Whether the environment says anything about an external database, right or wrong. */
export function isDatabaseSet(settings: Settings): boolean {
  return settings.isSet('DATABASE_URL') || DATABASE_PARTS.some((name) => settings.isSet(name))
}

/** The external database; null when none is set, or after a fault. */
export function readDatabase(settings: Settings): DatabaseConfig | null {
  const parts = DATABASE_PARTS.filter((name) => settings.isSet(name))
  if (settings.isSet('DATABASE_URL')) {
    const url = settings.secret('DATABASE_URL')
    if (parts.length > 0) settings.fault(eitherOr('DATABASE_URL', parts))
    return url === null ? null : databaseOfUrl(settings, url)
  }
  return parts.length > 0 ? databaseOfParts(settings, parts) : null
}

/** Redis, Upstash, or memory when neither is set. */
export function readKv(settings: Settings): KvConfig {
  const upstash = readUpstash(settings)
  const redis = readRedis(settings)
  const isUpstashSet = settings.isSet('UPSTASH_REDIS_REST_URL') || settings.isSet('UPSTASH_REDIS_REST_TOKEN')
  const redisNames = (['REDIS_URL', ...REDIS_PARTS] as const).filter((name) => settings.isSet(name))
  if (isUpstashSet && redisNames.length > 0) settings.fault(eitherOr('UPSTASH_REDIS_REST_URL', redisNames))
  return upstash ?? redis ?? { kind: 'memory' }
}

function databaseOfParts(settings: Settings, parts: readonly string[]): DatabaseConfig {
  const host = readHost(settings, 'DATABASE_HOST', { orSocket: true })
  if (!settings.isSet('DATABASE_HOST')) settings.fault(`${parts.join(', ')} needs DATABASE_HOST.`)
  else if (!settings.isSet('DATABASE_PASSWORD')) settings.fault('DATABASE_HOST needs DATABASE_PASSWORD.')
  const sslCa = readCertificates(settings, 'DATABASE_SSL_CA')
  const isCaSet = settings.isSet('DATABASE_SSL_CA')
  const ssl = settings.word('DATABASE_SSLMODE', SSL_MODES) ?? (isCaSet ? 'verify-full' : 'prefer')
  if (isCaSet && !ssl.startsWith('verify-')) {
    settings.fault(`DATABASE_SSL_CA is not checked with DATABASE_SSLMODE ${ssl}; ${SSL_ADVICE}`)
  }
  return {
    host,
    port: settings.port('DATABASE_PORT') ?? 5432,
    database: settings.text('DATABASE_NAME') ?? '',
    username: settings.text('DATABASE_USER') ?? '',
    password: settings.secret('DATABASE_PASSWORD') ?? '',
    ssl,
    sslCa,
  }
}

const SSL_ADVICE = 'set the mode to verify-ca or verify-full, or remove the certificate authority.'
const DATABASE_URL_FORM = 'DATABASE_URL must have the form postgres://user:password@host:5432/database'
const ENCODING_ADVICE = 'with reserved characters of user and password percent-encoded'

// Nothing of the URL is quoted in a fault: a mistake in it can move the password anywhere.
function databaseOfUrl(settings: Settings, text: string): DatabaseConfig | null {
  const url = parseStoreUrl(text, ['postgres:', 'postgresql:'])
  if (url === null || url.username === '' || !/^[^/]+$/.test(url.path)) {
    settings.fault(`${DATABASE_URL_FORM}, ${ENCODING_ADVICE}.`)
    return null
  }
  const { sslmode, sslrootcert, ...others } = Object.fromEntries(url.query)
  if (Object.keys(others).length > 0 || new Set(url.query.keys()).size < [...url.query.keys()].length) {
    settings.fault(
      'DATABASE_URL may carry the query parameters sslmode and sslrootcert, once, and no others.',
    )
  }
  const ssl = SSL_MODES.find((mode) => mode === sslmode) ?? (sslrootcert ? 'verify-full' : 'prefer')
  if (sslmode !== undefined && ssl !== sslmode) {
    settings.fault(`The sslmode of DATABASE_URL must be one of ${SSL_MODES.join(', ')}.`)
  } else if (sslrootcert && !ssl.startsWith('verify-')) {
    settings.fault(`The sslrootcert of DATABASE_URL is not checked with its sslmode; ${SSL_ADVICE}`)
  }
  const { host, username, password } = url
  const sslCa =
    sslrootcert && sslrootcert !== 'system'
      ? parseCertificates(settings, 'The sslrootcert of DATABASE_URL', sslrootcert)
      : null
  return { host, port: url.port ?? 5432, database: url.path, username, password, ssl, sslCa }
}

function readRedis(settings: Settings): KvConfig | null {
  const parts = REDIS_PARTS.filter((name) => settings.isSet(name))
  const ca = readCertificates(settings, 'REDIS_TLS_CA')
  if (settings.isSet('REDIS_URL') && parts.length > 0) settings.fault(eitherOr('REDIS_URL', parts))
  const url = settings.isSet('REDIS_URL') ? redisUrl(settings) : redisUrlOfParts(settings, parts)
  if (settings.isSet('REDIS_TLS_CA') && !url?.startsWith('rediss:')) {
    settings.fault(
      'REDIS_TLS_CA needs Redis over TLS: a rediss:// REDIS_URL, or REDIS_HOST with REDIS_TLS=true.',
    )
  }
  return url === null ? null : { kind: 'redis', url, ca }
}

function redisUrl(settings: Settings): string | null {
  const text = settings.secret('REDIS_URL')
  if (text === null) return null
  const url = parseStoreUrl(text, ['redis:', 'rediss:'])
  if (url !== null && /^([0-9]{1,5})?$/.test(url.path) && url.query.size === 0) return text
  settings.fault(
    `REDIS_URL must have the form redis://:password@host:6379/0, or rediss:// for TLS, ${ENCODING_ADVICE}.`,
  )
  return null
}

function redisUrlOfParts(settings: Settings, parts: readonly string[]): string | null {
  if (parts.length === 0) return null
  const host = readHost(settings, 'REDIS_HOST', { orSocket: false })
  if (!settings.isSet('REDIS_HOST')) settings.fault(`${parts.join(', ')} needs REDIS_HOST.`)
  const isTls = settings.boolean('REDIS_TLS')
  const port = settings.port('REDIS_PORT')
  const database = settings.integer('REDIS_DATABASE', { minimum: 0, maximum: 99_999 })
  const username = encodeURIComponent(settings.text('REDIS_USERNAME') ?? '')
  const password = settings.secret('REDIS_PASSWORD')
  if (username && !settings.isSet('REDIS_PASSWORD')) settings.fault('REDIS_USERNAME needs REDIS_PASSWORD.')
  const credentials = password === null ? '' : `${username}:${encodeURIComponent(password)}@`
  const name = host.includes(':') ? `[${host}]` : host
  return `${isTls ? 'rediss' : 'redis'}://${credentials}${name}:${port}/${database}`
}

function readUpstash(settings: Settings): KvConfig | null {
  const text = settings.text('UPSTASH_REDIS_REST_URL')
  const token = settings.secret('UPSTASH_REDIS_REST_TOKEN')
  if (settings.isSet('UPSTASH_REDIS_REST_URL') !== settings.isSet('UPSTASH_REDIS_REST_TOKEN')) {
    settings.fault(
      'UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN belong together; set both or neither.',
    )
  }
  if (text === null) return null
  const url = URL.parse(text)
  const isLocal = url !== null && /^(localhost|127\.[0-9.]+|\[::1\])$/.test(url.hostname)
  const isRight = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)
  if (!isRight || url.username || url.password || url.search || url.hash) {
    // Not quoted: such an address can carry the token as its user information or query.
    settings.fault(
      'UPSTASH_REDIS_REST_URL must be an https:// address without credentials and query (http:// on localhost).',
    )
  }
  return { kind: 'upstash', url: text, token: token ?? '' }
}

/** The host of a store without brackets; empty when it is not set, or after a fault. */
function readHost(settings: Settings, name: PlainName, allow: { orSocket: boolean }): string {
  const text = settings.text(name)
  if (text === null || (allow.orSocket && text.startsWith('/'))) return text ?? ''
  const host = parseHost(text)
  if (host === null) settings.reject(name, 'a host name or an IP address, without scheme and port')
  return host?.replace(/^\[|\]$/g, '') ?? ''
}

function parseStoreUrl(text: string, protocols: readonly string[]) {
  const url = URL.parse(text)
  if (url === null || !protocols.includes(url.protocol) || url.hash) return null
  const host = parseHost(url.hostname)?.replace(/^\[|\]$/g, '')
  const [username, password, path] = [url.username, url.password, url.pathname.slice(1)].map(decoded)
  if (!host || username == null || password == null || path == null || url.port === '0') return null
  return { host, port: url.port ? Number(url.port) : null, username, password, path, query: url.searchParams }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function eitherOr(name: string, others: readonly string[]): string {
  return `${name} and ${others.join(', ')} are both set; remove one or the other.`
}
