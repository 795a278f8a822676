import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Type } from 'typebox'
import packageJson from '../package.json' with { type: 'json' }
import {
  type PublicAddress,
  readAllowedHosts,
  readAllowedOrigins,
  readBindAddress,
  readPublicAddress,
  readTrustedProxies,
} from './config/addresses.ts'
import { readDeadlines } from './config/deadlines.ts'
import { readSmtp, type Smtp } from './config/mail.ts'
import { type Environment, type PlainName, Settings } from './config/settings.ts'
import { isDatabaseSet, readDatabase, readKv } from './config/stores.ts'
import type { KvConfig } from './platform/kv/kv.ts'
import type { DatabaseConfig } from './platform/postgres/database.ts'
import type { Deadlines } from './platform/postgres/deadlines.ts'

export type { Smtp } from './config/mail.ts'
export { CONFIGURATION } from './config/variables.ts'

export type Command = 'serve' | 'backend' | 'worker' | 'frontend' | 'migrate' | 'health'

/** At most `limit` of something within `windowSeconds`. */
export type RateLimit = Readonly<{ limit: number; windowSeconds: number }>

/**
 * What a deployment decides. A role that needs no host or secret and was given none has an empty string
 * or no bytes in their place.
 */
export type Config = Readonly<{
  version: string
  port: number
  bindAddress: string
  /** Absolute. */
  dataDirectory: string
  /** Null for the embedded database, and where the role uses none. */
  database: DatabaseConfig | null
  deadlines: Deadlines
  kv: KvConfig
  /** Lower case, without a port; an IPv6 address in brackets. */
  host: string
  /** Of links and redirect addresses, such as https://keyward.example.org. */
  origin: string
  loopback: boolean
  /** Lower case, without ports; `.example.org` stands for subdomains. */
  allowedHosts: readonly string[]
  allowedOrigins: readonly string[]
  /** 32 bytes. */
  secretKey: Uint8Array
  /** 32 bytes. */
  serverSecret: Uint8Array
  setupToken: string | null
  registration: 'open' | 'invite'
  /** CIDRs, and the word `private`. */
  trustedProxies: readonly string[]
  passwordAuth: boolean
  smtp: Smtp | null
  plan: 'free' | 'pro' | 'enterprise'
  rateLimits: Readonly<{ default: RateLimit | null; auth: RateLimit | null }>
  logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
}>

/** An environment that can't be used: the message lists every fault on its own line, never a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

type Need = 'database' | 'HOST' | 'SECRET_KEY' | 'SERVER_SECRET'

// Only serve has an embedded database, and with it HOST has a default.
const NEEDS: Record<Command | 'embedded', readonly Need[]> = {
  embedded: ['SECRET_KEY', 'SERVER_SECRET'],
  serve: ['database', 'HOST', 'SECRET_KEY', 'SERVER_SECRET'],
  backend: ['database', 'HOST', 'SECRET_KEY', 'SERVER_SECRET'],
  worker: ['database', 'HOST', 'SECRET_KEY', 'SERVER_SECRET'],
  frontend: ['HOST'],
  migrate: ['database'],
  health: [],
}

/** The data directory of the embedded database; null when the environment names a database of its own. */
export function embeddedDataDirectory(environment: Environment = process.env): string | null {
  const settings = new Settings(environment, readText)
  return isDatabaseSet(settings) ? null : readDataDirectory(settings)
}

/** The environment with generated secrets in the place of those that it does not set. */
export function withSecrets(
  secrets: Readonly<Record<string, string>>,
  environment: Environment = process.env,
): Environment {
  const missing = Object.entries(secrets).filter(
    ([name]) =>
      !environment[name] &&
      !environment[`${name}_FILE`] &&
      !name.startsWith('DATABASE_') &&
      !name.startsWith('REDIS_'),
  )
  return { ...environment, ...Object.fromEntries(missing) }
}

/**
 * The deep-frozen configuration of a role, bytes excepted.
 * Throws ConfigError with everything that is missing or can't be used.
 */
export function readConfig(role: Command, environment: Environment = process.env): Config {
  const settings = new Settings(environment, readText)
  const isEmbedded = role === 'serve' && !isDatabaseSet(settings)
  const port = settings.port('PORT') ?? 8080
  const address = readPublicAddress(settings, isEmbedded ? `localhost:${port}` : null)
  const config: Config = {
    version: `v${packageJson.version}`,
    port,
    bindAddress: readBindAddress(settings, isEmbedded ? '127.0.0.1' : '0.0.0.0'),
    dataDirectory: readDataDirectory(settings),
    database: readDatabase(settings),
    deadlines: readDeadlines(settings),
    kv: readKv(settings),
    ...readHosts(settings, address),
    secretKey: settings.secretBytes('SECRET_KEY'),
    serverSecret: settings.secretBytes('SERVER_SECRET'),
    setupToken: settings.secret('SETUP_TOKEN'),
    registration: settings.word('REGISTRATION', ['open', 'invite']) ?? 'open',
    trustedProxies: readTrustedProxies(settings),
    passwordAuth: settings.boolean('ENABLE_PASSWORD_AUTH'),
    smtp: readSmtp(settings),
    plan: settings.word('ORGANISATION_PLAN', ['free', 'pro', 'enterprise']) ?? 'enterprise',
    rateLimits: {
      default: readRateLimit(settings, 'RATE_LIMIT_DEFAULT'),
      auth: readRateLimit(settings, 'RATE_LIMIT_AUTH'),
    },
    logLevel:
      settings.word('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']) ?? 'info',
  }
  refuseSingleSignOn(settings)
  requireNeeds(settings, isEmbedded ? 'embedded' : role)
  if (settings.faults.length > 0) throw new ConfigError(Object.freeze([...settings.faults]))
  return deepFreeze(config)
}

const readDataDirectory = (settings: Settings): string => resolve(settings.text('KEYWARD_DATA') ?? '')

// Bytes that are no UTF-8 would otherwise turn into another secret without a word.
function readText(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
}

function readHosts(settings: Settings, address: PublicAddress | null) {
  return {
    host: address?.host ?? '',
    origin: address?.origin ?? '',
    loopback: address?.loopback ?? false,
    allowedHosts: readAllowedHosts(settings, address),
    allowedOrigins: readAllowedOrigins(settings, address),
  }
}

const WINDOW_SECONDS = new Map([
  ['sec', 1],
  ['min', 60],
  ['hour', 3_600],
  ['day', 86_400],
])

const RateLimitForm = {
  ...Type.String({ pattern: '^(off|[1-9][0-9]{0,8}/(sec|min|hour|day))$' }),
  description: 'a number per sec, min, hour or day, such as 120/min, or off',
}

function readRateLimit(settings: Settings, name: PlainName): RateLimit | null {
  const [limit, window = ''] = settings.form(name, RateLimitForm)?.split('/') ?? []
  const windowSeconds = WINDOW_SECONDS.get(window)
  return windowSeconds === undefined ? null : { limit: Number(limit), windowSeconds }
}

function refuseSingleSignOn(settings: Settings): void {
  const name = settings.isSet('SSO_PROVIDERS') ? 'SSO_PROVIDERS' : 'NEXT_PUBLIC_NEXTAUTH_PROVIDERS'
  const providers = settings.list(name)
  if (providers.length === 0) return
  settings.fault(`${name} is set, but this version has no single sign-on yet: remove ${name}.`)
  for (const provider of providers) settings.clientSecret(provider.toUpperCase().replaceAll('-', '_'))
}

function requireNeeds(settings: Settings, role: Command | 'embedded'): void {
  for (const need of NEEDS[role]) {
    if (need === 'database') {
      if (isDatabaseSet(settings)) continue
      settings.fault(
        `DATABASE_URL is not set: ${role} needs a PostgreSQL database. Set it, or DATABASE_HOST and DATABASE_PASSWORD.`,
      )
    } else if (!settings.isSet(need)) settings.fault(`${need} is not set: ${ADVICE[need]}`)
  }
}

const ADVICE = {
  HOST: 'set it to the public host name, such as keyward.example.org.',
  SECRET_KEY: 'set it, or SECRET_KEY_FILE, to 64 hexadecimal characters (openssl rand -hex 32).',
  SERVER_SECRET: 'set it, or SERVER_SECRET_FILE, to 64 hexadecimal characters (openssl rand -hex 32).',
}

function deepFreeze<T extends object>(value: T): T {
  // A typed array that has elements can't be frozen.
  if (ArrayBuffer.isView(value)) return value
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part)
  return Object.freeze(value)
}
