import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import {
  type PublicAddress,
  readAllowedHosts,
  readAllowedOrigins,
  readBindAddress,
  readEmailDomains,
  readPublicAddress,
  readTrustedProxies,
} from './config/addresses.ts'
import { readDeadlines } from './config/deadlines.ts'
import { readSmtp, type Smtp } from './config/mail.ts'
import { type RateLimit, readRateLimit } from './config/rate-limit.ts'
import { readAuditRetentionDays } from './config/retention.ts'
import { type Environment, Settings } from './config/settings.ts'
import { readSso } from './config/sso.ts'
import { isDatabaseSet, readDatabase, readKv } from './config/stores.ts'
import { readMetricsPort, readTracing } from './config/telemetry.ts'
import type { KvConfig } from './platform/kv/kv.ts'
import type { DatabaseConfig } from './platform/postgres/database.ts'
import type { Deadlines } from './platform/postgres/deadlines.ts'
import type { SsoConfig } from './platform/sso/provider-config.ts'
import type { TracingConfig } from './platform/telemetry/tracing-config.ts'

export type { Smtp } from './config/mail.ts'
export type { RateLimit } from './config/rate-limit.ts'
export { CONFIGURATION } from './config/variables.ts'

/** What follows `keyward` on the command line. Backend, worker and frontend are its components. */
export type Command = 'serve' | 'backend' | 'worker' | 'frontend' | 'migrate' | 'health' | 'users' | 'jobs'

/**
 * What a deployment decides. For a command that needs no host or secret, one that is not set is an empty string or
 * no bytes.
 */
export type Config = Readonly<{
  version: string
  port: number
  /** Where the metrics are; null for nowhere. */
  metricsPort: number | null
  bindAddress: string
  /** Absolute. */
  dataDirectory: string
  /** Null for the embedded database, and where the command uses none. */
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
  /** False where the platform leaves a request too little time to hash a password. */
  passwordHashing: boolean
  sso: SsoConfig
  /** Lower case, ASCII; `.example.org` stands for subdomains. Empty where any domain is allowed. */
  allowedEmailDomains: readonly string[]
  /** Whose sessions by password must have a second factor. */
  requireSecondFactor: 'off' | 'admins' | 'everyone'
  smtp: Smtp | null
  plan: 'free' | 'pro' | 'enterprise'
  /** What reads remember takes at most so much memory; 0 for none. */
  cacheMegabytes: number
  /** Null while tracing is off. */
  tracing: TracingConfig | null
  rateLimits: Readonly<{ default: RateLimit | null; auth: RateLimit | null }>
  /** How long audit entries are kept; null for ever. */
  auditRetentionDays: number | null
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

const SERVICE: readonly Need[] = ['database', 'HOST', 'SECRET_KEY', 'SERVER_SECRET']

// With the embedded database, HOST has a default.
const NEEDS: Record<Command | 'embedded', readonly Need[]> = {
  embedded: ['SECRET_KEY', 'SERVER_SECRET'],
  serve: SERVICE,
  backend: SERVICE,
  worker: SERVICE,
  users: SERVICE,
  jobs: SERVICE,
  frontend: ['HOST'],
  migrate: ['database'],
  health: [],
}

/** The data directory of the embedded database; null when the environment names an external database. */
export function embeddedDataDirectory(environment: Environment = process.env): string | null {
  const settings = new Settings(environment, readText)
  return isDatabaseSet(settings) ? null : readDataDirectory(settings)
}

/** What systemd says of the file that its journal reads; null without systemd. No setting: it describes where output goes. */
export const journalStream = (environment: Environment = process.env): string | null =>
  environment.JOURNAL_STREAM ?? null

/** The environment with another address of the database. */
export const withDatabase = (address: string, environment: Environment = process.env): Environment => ({
  ...environment,
  DATABASE_URL: address,
})

/** The environment with generated secrets for those that it does not set. */
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

/** No longer than the body that registers the first account may have it. */
function readSetupToken(settings: Settings): string | null {
  const token = settings.secret('SETUP_TOKEN')
  if (token !== null && token.length > SETUP_TOKEN_LENGTH) {
    settings.fault(`SETUP_TOKEN must have at most ${SETUP_TOKEN_LENGTH} characters.`)
  }
  return token
}

const SETUP_TOKEN_LENGTH = 1024

/**
 * The deep-frozen configuration of a command, bytes excepted.
 * Throws ConfigError with everything that is missing or can't be used.
 */
export function readConfig(command: Command, environment: Environment = process.env): Config {
  const settings = new Settings(environment, readText)
  const isEmbedded = EMBEDDABLE.includes(command) && !isDatabaseSet(settings)
  const port = settings.port('PORT') ?? 8080
  const address = readPublicAddress(settings, isEmbedded ? `localhost:${port}` : null)
  const config: Config = {
    version: `v${packageJson.version}`,
    port,
    metricsPort: readMetricsPort(settings, port),
    bindAddress: readBindAddress(settings, isEmbedded ? '127.0.0.1' : '0.0.0.0'),
    dataDirectory: readDataDirectory(settings),
    database: readDatabase(settings),
    deadlines: readDeadlines(settings),
    kv: readKv(settings),
    ...readHosts(settings, address),
    secretKey: settings.secretBytes('SECRET_KEY'),
    serverSecret: settings.secretBytes('SERVER_SECRET'),
    setupToken: readSetupToken(settings),
    registration: settings.word('REGISTRATION', ['open', 'invite']) ?? 'open',
    trustedProxies: readTrustedProxies(settings),
    passwordAuth: settings.boolean('ENABLE_PASSWORD_AUTH'),
    passwordHashing: settings.boolean('PASSWORD_HASHING'),
    sso: readSso(settings),
    allowedEmailDomains: readEmailDomains(settings),
    requireSecondFactor: settings.word('REQUIRE_SECOND_FACTOR', ['off', 'admins', 'everyone']) ?? 'off',
    smtp: readSmtp(settings),
    plan: settings.word('ORGANISATION_PLAN', ['free', 'pro', 'enterprise']) ?? 'enterprise',
    cacheMegabytes: settings.integer('CACHE_MEGABYTES', { minimum: 0, maximum: 4096 }) ?? 64,
    tracing: readTracing(settings),
    rateLimits: {
      default: readRateLimit(settings, 'RATE_LIMIT_DEFAULT'),
      auth: readRateLimit(settings, 'RATE_LIMIT_AUTH'),
    },
    auditRetentionDays: readAuditRetentionDays(settings),
    logLevel:
      settings.word('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']) ?? 'info',
  }
  requireNeeds(settings, isEmbedded ? 'embedded' : command)
  if (settings.faults.length > 0) throw new ConfigError(Object.freeze([...settings.faults]))
  return deepFreeze(config)
}

const EMBEDDABLE: readonly Command[] = ['serve', 'users', 'jobs']

const readDataDirectory = (settings: Settings): string => resolve(settings.text('KEYWARD_DATA') ?? '')

// Invalid UTF-8 would otherwise be replaced silently, and change the secret.
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

function requireNeeds(settings: Settings, command: Command | 'embedded'): void {
  for (const need of NEEDS[command]) {
    if (need === 'database') {
      if (isDatabaseSet(settings)) continue
      settings.fault(
        `DATABASE_URL is not set: ${command} needs a PostgreSQL database. Set it, or DATABASE_HOST and DATABASE_PASSWORD.`,
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
