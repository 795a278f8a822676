import { describe, expect, test } from 'bun:test'
import { externalVariables, faultsOf, type Variables } from '../support/variables.ts'
import { configOf, deployments, existing, host, refusal, render, type Values } from './helm.ts'

const x = (length: number) => 'x'.repeat(length)
const long = `${x(63)}.${x(63)}.${x(63)}`
const names = [
  'keyward',
  'a_b.example',
  'xn--mnchen-3ya.example',
  '1234.example',
  '0xyz',
  `${x(63)}.example`,
  `${long}.${x(61)}`,
]
const addresses = ['10.1.2.3', '[fd00::1]']
const noNames = [
  'a..b',
  'a-',
  '-a',
  'a-.b',
  'a b',
  'a?b',
  '*',
  '*.example.org',
  `${x(64)}.example`,
  `${long}.${x(62)}`,
]
const noAddresses = [
  '8080',
  '1234.5',
  'a.5',
  '1.2.3',
  '256.1.1.1',
  '01.2.3.4',
  '0x10',
  'a.0x',
  '[zz]',
  '[::1',
]

type Subject = {
  values: (text: string) => Values
  /** The same for the program. */
  variables: (text: string) => Variables
  sentence: string
  right: string[]
  wrong: string[]
}

const databaseIs = (DATABASE_HOST: string) => ({
  DATABASE_URL: undefined,
  DATABASE_HOST,
  DATABASE_PASSWORD: 'p',
})
const mail = { SMTP_HOST: 'mail', SMTP_FROM: 'k@example.org' }
const store = {
  sentence: 'must be a host name or an IP address, without scheme and port.',
  right: ['db', 'db.example.org.', '10.1.2.3', 'fd00::1', '[fd00::1]'],
  wrong: ['db:5432', 'postgres://db', 'db/keyward', 'a..b', '1234.5', 'user:password@db'],
}

const subjects: Record<string, Subject> = {
  host: {
    values: (text) => ({ host: text }),
    variables: (HOST) => ({ HOST }),
    sentence: 'it must be a host name, host:port or an origin',
    right: [
      ...names,
      ...addresses,
      'a:1',
      'a:65535',
      'http://a',
      'HTTPS://A.Example/',
      'https://a:00443',
      '[fd00::1]:80',
    ],
    wrong: [
      ...noNames,
      ...noAddresses,
      'a/',
      'a:0',
      'a:65536',
      'a:',
      'https://a/b',
      'ftp://a',
      '.example.org',
    ],
  },
  extraHosts: {
    values: (text) => ({ extraHosts: [text] }),
    variables: (text) => ({ ALLOWED_HOSTS: `${externalVariables.HOST},${text}` }),
    sentence: 'each entry must be a host name, or .example.org',
    right: ['a:8443', '.example.org', '10.1.2.3', '[fd00::1]'],
    wrong: ['a..b', '1234.5', 'a:0', 'a/', 'https://a', '.', '..a', '.1.2.3.4', '.5', '.a:80', '*.a'],
  },
  extraOrigins: {
    values: (text) => ({ extraOrigins: [text] }),
    variables: (text) => ({ ALLOWED_ORIGINS: `https://${externalVariables.HOST},${text}` }),
    sentence: 'each entry must be an origin',
    right: ['https://a', 'HTTP://a:8080/', 'https://[fd00::1]'],
    wrong: ['a', 'https://a..b', 'https://1234.5', 'https://a:0', 'https://a/b', 'https://', '*'],
  },
  'externalDatabase.host': {
    values: (text) => ({ postgres: { enabled: false }, externalDatabase: { host: text } }),
    variables: databaseIs,
    ...store,
  },
  'externalRedis.host': {
    values: (text) => ({ redis: { enabled: false }, externalRedis: { host: text } }),
    variables: (REDIS_HOST) => ({ REDIS_HOST }),
    ...store,
  },
  'smtp.host': {
    values: (text) => ({ smtp: { host: text, from: mail.SMTP_FROM } }),
    variables: (SMTP_HOST) => ({ ...mail, SMTP_HOST }),
    ...store,
  },
  'smtp.from': {
    values: (text) => ({ smtp: { host: mail.SMTP_HOST, from: text } }),
    variables: (SMTP_FROM) => ({ ...mail, SMTP_FROM }),
    sentence: 'smtp.from must be an e-mail address and nothing else',
    right: ["o'k+w@example", '{a}@b.example'],
    wrong: ['k', 'k@', 'Keyward <k@example.org>', 'k@example.org, l@example.org', 'k@-a'],
  },
}

describe.each(Object.entries(subjects))('the chart and the program agree on %s', (_, subject) => {
  const faults = (text: string) => faultsOf('backend', { ...externalVariables, ...subject.variables(text) })

  test.each(subject.right)('%s is accepted by both', (text) => {
    expect(faults(text)).toEqual([])
    const objects = render({ ...existing, ...subject.values(text) })
    expect(faultsOf('frontend', configOf(objects, 'frontend'))).toEqual([])
  })

  test.each(subject.wrong)('%s is refused by both', (text) => {
    expect(faults(text)).toHaveLength(1)
    expect(refusal({ host, ...existing, ...subject.values(text) })).toContain(subject.sentence)
  })
})

test.each(['keyward.example.org.', '::1', 'münchen.example'])(
  'of the forms in which the program takes a host, the chart takes the one that Ingress has as well: not %s',
  (text) => {
    expect(faultsOf('backend', { ...externalVariables, HOST: text })).toEqual([])
    expect(refusal({ host: text })).toContain('it must be a host name, host:port or an origin')
  },
)

test.each(['2024', '0x10', 'true'])(
  'the program takes the hosts of a namespace that is called %s',
  (namespace) => {
    const config = configOf(render(existing, { namespace }), 'frontend')
    expect(faultsOf('frontend', config)).toEqual([])
    expect(config.ALLOWED_HOSTS?.split(',')).toContain(`keyward-backend.${namespace}.svc`)
  },
)

describe('a variable of your own', () => {
  const variables = (...all: string[]) => ({ extraEnv: all.map((name) => ({ name, value: '::' })) })

  test.each([
    'HOST',
    'HOST_FILE',
    'SECRET_KEY',
    'SECRET_KEY_FILE',
    'DATABASE_URL',
    'DATABASE_URL_FILE',
    'REDIS_URL',
    'REDIS_URL_FILE',
    'UPSTASH_REDIS_REST_URL',
  ])('cannot be %s, of which the chart says something itself', (name) => {
    expect(refusal({ host, ...variables(name) })).toContain(
      `extraEnv sets ${name} for the backend, which is there already`,
    )
  })

  test('is named once', () => {
    const twice = { ...variables('A'), worker: variables('A') }
    expect(refusal({ host, ...twice })).toContain('extraEnv sets A for the worker')
  })

  test('can be anything else: the address to listen on where all addresses are IPv6, and a Redis where there is none', () => {
    const { backend } = deployments(
      render({ redis: { enabled: false }, ...variables('BIND_ADDRESS', 'REDIS_URL') }),
    )
    expect(backend.spec.template.spec.containers[0].env).toHaveLength(2)
    expect(faultsOf('backend', { ...externalVariables, BIND_ADDRESS: '::' })).toEqual([])
  })
})
