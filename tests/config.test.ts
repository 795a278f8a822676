import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { CONFIGURATION, type Command, ConfigError, readConfig } from '../src/config.ts'
import {
  backendConfig,
  backendFaults,
  embeddedVariables,
  externalVariables,
  faultsOf,
} from './support/variables.ts'

test('serve runs with its embedded database on nothing but the two keys', () => {
  expect(readConfig('serve', embeddedVariables)).toEqual({
    version: `v${packageJson.version}`,
    port: 8080,
    metricsPort: null,
    bindAddress: '127.0.0.1',
    dataDirectory: resolve('data'),
    database: null,
    deadlines: { statementMilliseconds: 5000, transactionMilliseconds: 10_000 },
    kv: { kind: 'memory' },
    host: 'localhost',
    origin: 'http://localhost:8080',
    loopback: true,
    allowedHosts: ['localhost'],
    allowedOrigins: ['http://localhost:8080'],
    secretKey: new Uint8Array(32).fill(0xa1),
    serverSecret: new Uint8Array(32).fill(0xb2),
    setupToken: null,
    registration: 'open',
    requireSecondFactor: 'off',
    trustedProxies: [],
    passwordAuth: true,
    passwordHashing: true,
    sso: { providers: [], ca: null },
    allowedEmailDomains: [],
    smtp: null,
    plan: 'enterprise',
    cacheMegabytes: 64,
    tracing: null,
    rateLimits: { default: null, auth: { limit: 10, windowSeconds: 60 } },
    auditRetentionDays: null,
    logLevel: 'info',
  })
})

test('an external database listens on every address and has no default host', () => {
  expect(backendConfig({})).toMatchObject({ bindAddress: '0.0.0.0', origin: 'https://keyward.example.org' })
  expect(readConfig('serve', externalVariables)).toMatchObject({ bindAddress: '0.0.0.0' })
  expect(faultsOf('serve', { ...externalVariables, HOST: undefined })).toEqual([
    expect.stringContaining('HOST is not set'),
  ])
})

describe('each command requires only what it uses', () => {
  const needs: [Command, string[]][] = [
    ['serve', ['SECRET_KEY', 'SERVER_SECRET']],
    ['backend', ['DATABASE_URL', 'HOST', 'SECRET_KEY', 'SERVER_SECRET']],
    ['worker', ['DATABASE_URL', 'HOST', 'SECRET_KEY', 'SERVER_SECRET']],
    ['users', ['SECRET_KEY', 'SERVER_SECRET']],
    ['jobs', ['SECRET_KEY', 'SERVER_SECRET']],
    ['frontend', ['HOST']],
    ['migrate', ['DATABASE_URL']],
  ]
  test.each(needs)('%s names what is missing and starts with it', (role, names) => {
    const faults = faultsOf(role, {})
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual(names)
    for (const fault of faults) expect(fault).toContain(' is not set: ')
    const enough = Object.fromEntries(
      names.map((name) => [name, externalVariables[name as keyof typeof externalVariables]]),
    )
    expect(faultsOf(role, enough)).toEqual([])
  })

  test('what a command does not need is empty when it is not set', () => {
    const config = readConfig('migrate', { DATABASE_URL: externalVariables.DATABASE_URL })
    expect(config).toMatchObject({ host: '', origin: '', allowedHosts: [], allowedOrigins: [] })
    expect(config.secretKey).toHaveLength(0)
    expect(readConfig('frontend', { HOST: 'a.example' }).database).toBeNull()
  })
})

test('one error lists every fault, each on its own line', () => {
  const variables = {
    PORT: 'eighty',
    REGISTRATION: 'closed',
    SECRET_KEY: 'short',
    HOST: 'a b',
    LOG_LEVEL: 'x\ny',
  }
  expect(() => readConfig('serve', variables)).toThrow(ConfigError)
  const faults = faultsOf('serve', variables)
  const names = ['PORT', 'HOST', 'SECRET_KEY', 'REGISTRATION', 'LOG_LEVEL', 'SERVER_SECRET']
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual(names)
  expect(new ConfigError(faults).message.split('\n')).toEqual([...faults])
})

test('an empty value counts as not set', () => {
  const empty = Object.fromEntries(
    CONFIGURATION.flatMap(({ name }) => [
      [name, ''],
      [`${name}_FILE`, ''],
    ]),
  )
  expect(readConfig('serve', { ...empty, ...embeddedVariables })).toEqual(
    readConfig('serve', embeddedVariables),
  )
})

test('the configuration is frozen at every depth', () => {
  const config = backendConfig({ REDIS_URL: 'redis://cache', SMTP_HOST: 'mail', SMTP_FROM: 'a@example.org' })
  const parts = [config, config.database, config.kv, config.smtp, config.rateLimits, config.rateLimits.auth]
  for (const part of [...parts, config.allowedHosts, config.allowedOrigins, config.trustedProxies]) {
    expect(part).not.toBeNull()
    expect(Object.isFrozen(part)).toBe(true)
  }
})

test.each([
  ['PORT', 'port', '3000', 3000],
  ['PORT', 'port', ' 65535 ', 65535],
  ['KEYWARD_DATA', 'dataDirectory', 'var/kw', resolve('var/kw')],
  ['KEYWARD_DATA', 'dataDirectory', '/var/kw', '/var/kw'],
  ['BIND_ADDRESS', 'bindAddress', '::', '::'],
  ['BIND_ADDRESS', 'bindAddress', '10.1.2.3', '10.1.2.3'],
  ['REGISTRATION', 'registration', 'Invite', 'invite'],
  ['REQUIRE_SECOND_FACTOR', 'requireSecondFactor', 'Admins', 'admins'],
  ['ORGANISATION_PLAN', 'plan', 'free', 'free'],
  ['LOG_LEVEL', 'logLevel', 'silent', 'silent'],
  ['SETUP_TOKEN', 'setupToken', ' let me in ', ' let me in '],
  ['SECRET_KEY', 'secretKey', 'AB'.repeat(32), new Uint8Array(32).fill(0xab)],
  ...['true', '1', 'yes', 'on', 'TRUE'].map((word) => ['ENABLE_PASSWORD_AUTH', 'passwordAuth', word, true]),
  ['PASSWORD_HASHING', 'passwordHashing', 'false', false],
  ...['false', '0', 'no', 'off', 'Off'].map((word) => ['ENABLE_PASSWORD_AUTH', 'passwordAuth', word, false]),
] as [string, keyof ReturnType<typeof readConfig>, string, unknown][])(
  '%s sets %s: %s',
  (name, field, value, expected) => {
    expect(backendConfig({ [name]: value })[field]).toEqual(expected as never)
  },
)

test.each([
  ['off', null],
  ['1/sec', { limit: 1, windowSeconds: 1 }],
  ['120/min', { limit: 120, windowSeconds: 60 }],
  ['5000/hour', { limit: 5000, windowSeconds: 3600 }],
  ['7/day', { limit: 7, windowSeconds: 86400 }],
])('a rate limit of %s is understood', (value, limit) => {
  const { rateLimits } = backendConfig({ RATE_LIMIT_DEFAULT: value, RATE_LIMIT_AUTH: value })
  expect(rateLimits).toEqual({ default: limit, auth: limit })
})

const junk: Record<string, string[]> = {
  PORT: ['0', '65536', '-1', '80.5', '0x50', '8e3', 'http', 'tcp://10.0.0.1:8080'],
  BIND_ADDRESS: ['example.org', '8080', '127.1', '10.0.0.0/8'],
  ENABLE_PASSWORD_AUTH: ['2', 'enabled', 'tru'],
  REGISTRATION: ['closed', 'open,invite'],
  REQUIRE_SECOND_FACTOR: ['on', 'true', 'owner'],
  ORGANISATION_PLAN: ['gold'],
  RATE_LIMIT_DEFAULT: ['0/min', '10', '10/week', '-1/min', '1.5/min', 'on', '10 / min'],
  RATE_LIMIT_AUTH: ['ten/min', '1e3/day'],
  LOG_LEVEL: ['verbose'],
}
test.each(Object.entries(junk).flatMap(([name, values]) => values.map((value) => [name, value])))(
  '%s can not be %s, and the fault says both the value and what would be right',
  (name = '', value = '') => {
    const [fault, ...more] = backendFaults({ [name]: value })
    expect(fault).toStartWith(`${name} is "${value}"; it must be `)
    expect(more).toEqual([])
  },
)

test.each(['a'.repeat(63), 'a'.repeat(65), 'g'.repeat(64), ` ${'a'.repeat(63)}`])(
  'a key that is not 64 hexadecimal characters is refused: %p',
  (value) => {
    for (const name of ['SECRET_KEY', 'SERVER_SECRET']) {
      expect(backendFaults({ [name]: value })).toEqual([
        expect.stringContaining(`${name} must be 64 hexadecimal`),
      ])
    }
  },
)

test('SETUP_TOKEN is no longer than a registration may have it', () => {
  expect(backendFaults({ SETUP_TOKEN: 'x'.repeat(1025) })).toEqual([
    'SETUP_TOKEN must have at most 1024 characters.',
  ])
})

test('control characters are refused in any value', () => {
  expect(backendFaults({ SETUP_TOKEN: 'a\nb', KEYWARD_DATA: 'a\tb' })).toEqual([
    'KEYWARD_DATA contains a line break or another control character.',
    'The value of SETUP_TOKEN contains a line break or another control character.',
  ])
})
