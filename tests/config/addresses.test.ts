import { describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { backendConfig, backendFaults, embeddedVariables } from '../support/variables.ts'

test.each([
  ['keyward.example.org', 'keyward.example.org', 'https://keyward.example.org', false],
  ['Keyward.Example.ORG.', 'keyward.example.org', 'https://keyward.example.org', false],
  ['keyward.example.org:8443', 'keyward.example.org', 'https://keyward.example.org:8443', false],
  ['keyward.example.org:443', 'keyward.example.org', 'https://keyward.example.org', false],
  ['https://keyward.example.org/', 'keyward.example.org', 'https://keyward.example.org', false],
  ['HTTP://keyward.internal:8080', 'keyward.internal', 'http://keyward.internal:8080', false],
  ['http://keyward.internal:80', 'keyward.internal', 'http://keyward.internal', false],
  ['bücher.example', 'xn--bcher-kva.example', 'https://xn--bcher-kva.example', false],
  ['192.0.2.7', '192.0.2.7', 'https://192.0.2.7', false],
  ['[2001:DB8::1]:8443', '[2001:db8::1]', 'https://[2001:db8::1]:8443', false],
  ['localhost', 'localhost', 'http://localhost', true],
  ['LOCALHOST:3000', 'localhost', 'http://localhost:3000', true],
  ['keyward.localhost:3000', 'keyward.localhost', 'http://keyward.localhost:3000', true],
  ['127.1.2.3:80', '127.1.2.3', 'http://127.1.2.3', true],
  ['::1', '[::1]', 'http://[::1]', true],
  ['[::1]:8080', '[::1]', 'http://[::1]:8080', true],
  ['https://localhost:8443', 'localhost', 'https://localhost:8443', true],
  ['localhost.example.org', 'localhost.example.org', 'https://localhost.example.org', false],
])('HOST %s is the host %s with the origin %s', (value, host, origin, loopback) => {
  const expected = { host, origin, loopback, allowedHosts: [host], allowedOrigins: [origin] }
  expect(backendConfig({ HOST: value })).toMatchObject(expected)
})

test.each([
  'a b',
  'ftp://keyward.example.org',
  'https://keyward.example.org/path',
  'https://keyward.example.org?query',
  'keyward.example.org/',
  'https://',
  'keyward.example.org:0',
  'keyward.example.org:65536',
  'keyward.example.org:http',
  'one.example,two.example',
  '*',
  '-keyward.example.org',
  'keyward..example.org',
  `${'a'.repeat(64)}.example.org`,
  '8080',
  '127.1',
  '0x7f.0.0.1',
  '256.1.1.1',
  '[::1',
  'key%77ard.example.org',
])('HOST can not be %s', (value) => {
  expect(backendFaults({ HOST: value })).toEqual([
    `HOST is ${JSON.stringify(value)}; it must be a host name, host:port or an origin, such as keyward.example.org or https://keyward.example.org.`,
  ])
})

test('with the embedded database HOST follows the port, unless it is set', () => {
  const embedded = { ...embeddedVariables, PORT: '9000' }
  expect(readConfig('serve', embedded).origin).toBe('http://localhost:9000')
  expect(readConfig('serve', { ...embedded, HOST: 'a.example' }).origin).toBe('https://a.example')
})

describe('ALLOWED_HOSTS', () => {
  test('is lower case, without ports, trailing dots, repetitions and empty entries', () => {
    const list = 'KEYWARD.example.org., keyward.example.org:8443, .Example.ORG, [::1]:80,, backend_1,'
    const { allowedHosts } = backendConfig({ ALLOWED_HOSTS: list })
    expect(allowedHosts).toEqual(['keyward.example.org', '.example.org', '[::1]', 'backend_1'])
  })

  test.each([
    ['keyward.example.org', true],
    ['other.example.org,keyward.example.org', true],
    ['.example.org', true],
    ['.org', true],
    ['.keyward.example.org', false],
    ['example.org', false],
    ['ward.example.org', false],
    ['.ward.example.org', false],
    [',', false],
  ])('%s contains keyward.example.org: %p', (list, contained) => {
    const faults = backendFaults({ ALLOWED_HOSTS: list })
    const expected = `ALLOWED_HOSTS is "${list.replace(/^,$/, '')}" and doesn't contain the host of HOST: add "keyward.example.org", or change HOST.`
    expect(faults).toEqual(contained ? [] : [expected])
  })

  test.each(['https://a.example', 'a b', '*.example.org', 'a.example:0', '.127.0.0.1', '.', 'a/b'])(
    'an entry can not be %s',
    (entry) => {
      expect(backendFaults({ ALLOWED_HOSTS: `keyward.example.org,${entry}` })).toEqual([
        `ALLOWED_HOSTS contains "${entry}"; each entry must be a host name, or .example.org for the subdomains of example.org.`,
      ])
    },
  )
})

describe('ALLOWED_ORIGINS', () => {
  test('is normalised', () => {
    const list = 'https://KEYWARD.example.org:443/, http://localhost:3000,https://[::1]'
    expect(backendConfig({ ALLOWED_ORIGINS: list }).allowedOrigins).toEqual([
      'https://keyward.example.org',
      'http://localhost:3000',
      'https://[::1]',
    ])
  })

  test.each(['http://keyward.example.org', 'https://keyward.example.org:8443', 'https://example.org'])(
    'the origin of HOST is not in %s',
    (list) => {
      expect(backendFaults({ ALLOWED_ORIGINS: list })).toEqual([
        `ALLOWED_ORIGINS is "${list}" and doesn't contain the origin of HOST: add "https://keyward.example.org", or change HOST.`,
      ])
    },
  )

  test.each([
    'keyward.example.org',
    'null',
    'https://a.example/path',
    'https://*.example.org',
    'ftp://a.example',
  ])('an entry can not be %s', (entry) => {
    expect(backendFaults({ ALLOWED_ORIGINS: `https://keyward.example.org,${entry}` })).toEqual([
      `ALLOWED_ORIGINS contains "${entry}"; each entry must be an origin such as https://keyward.example.org, without a path.`,
    ])
  })
})

test.each([
  ['ALLOWED_HOSTS', 'keyward.example.org', 'a request could then name any host'],
  ['ALLOWED_ORIGINS', 'https://keyward.example.org', 'every website could then call the API'],
  ['TRUSTED_PROXIES', 'private', 'every caller could then state any client address'],
])('%s refuses * and says why', (name, entry, why) => {
  const [fault, ...more] = backendFaults({ [name]: `${entry},*` })
  expect(fault).toStartWith(`${name} contains "*": ${why}`)
  expect(more).toEqual([])
})

test('both lists are checked against HOST at once, and neither where a role has no HOST', () => {
  const lists = { ALLOWED_HOSTS: 'a.example', ALLOWED_ORIGINS: 'https://a.example' }
  expect(backendFaults(lists).map((fault) => fault.split(' ')[0])).toEqual([
    'ALLOWED_HOSTS',
    'ALLOWED_ORIGINS',
  ])
  const config = readConfig('migrate', { ...lists, DATABASE_URL: 'postgres://u@h/d' })
  expect(config.allowedHosts).toEqual(['a.example'])
})

test('TRUSTED_PROXIES takes CIDRs, addresses and the word private', () => {
  const list = 'Private, 10.1.2.3/8, 192.0.2.7, fd00::1/8, 2001:DB8::1'
  expect(backendConfig({ TRUSTED_PROXIES: list }).trustedProxies).toEqual([
    'private',
    '10.0.0.0/8',
    '192.0.2.7/32',
    'fd00::/8',
    '2001:db8::1/128',
  ])
})

test.each(['10.0.0.0/33', '10.0.0/8', '10', 'fd00::/129', 'fe80::1%eth0', 'proxy.internal', 'public'])(
  'a trusted proxy can not be %s',
  (entry) => {
    expect(backendFaults({ TRUSTED_PROXIES: entry })).toEqual([
      `TRUSTED_PROXIES contains "${entry}"; each entry must be a CIDR such as 10.0.0.0/8, or the word private.`,
    ])
  },
)
