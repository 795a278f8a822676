import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { YAML } from 'bun'
import { CHART, HELMS, type HelmVersion, type Manifest, refusal, type Values } from './helm.ts'

const github = { name: 'github', clientId: 'a', clientSecret: { value: 's' } }
const okta = { ...github, name: 'okta' }
const host = 'keyward.example.org'
const noValue = { host, secrets: { existingSecret: 'mine' } }

describe.each(Object.keys(HELMS) as HelmVersion[])(
  'the schema, with %s, refuses in words that help',
  (version) => {
    test.each<[string, Values, string[]]>([
      ['a typo at the top', { hots: host }, ["additional properties 'hots' not allowed"]],
      [
        'a typo further down',
        { backend: { replica: 2 } },
        ['/backend', "additional properties 'replica' not allowed"],
      ],
      [
        'a typo in a list',
        { sso: { providers: [{ name: 'x', clientID: 'y' }] } },
        ['/sso/providers/0', 'clientID'],
      ],
      [
        'a text for a number',
        { worker: { replicas: '2' } },
        ['/worker/replicas', 'got string, want integer'],
      ],
      ['a number for a text', { image: { tag: 1.2 } }, ['/image/tag', 'got number, want string']],
      ['a text for a switch', { setup: { open: 'yes' } }, ['/setup/open', 'got string, want boolean']],
      ['a text for a list', { extraHosts: 'a,b' }, ['/extraHosts', 'got string, want array']],
      [
        'a number as annotation',
        { backend: { podAnnotations: { a: 1 } } },
        ['/backend/podAnnotations/a', 'want string'],
      ],
      ['another plan', { plan: 'gold' }, ['/plan', "'free', 'pro', 'enterprise'"]],
      [
        'a port out of bounds',
        { externalRedis: { port: 99999 } },
        ['/externalRedis/port', 'got 99,999, want 65,535'],
      ],
      ['a digest of another form', { image: { digest: 'abc' } }, ['/image/digest', 'sha256:']],
      [
        'a rate of another form',
        { rateLimits: { auth: '3 a minute' } },
        ['/rateLimits/auth', 'sec|min|hour|day'],
      ],
      [
        'a variable without a value',
        { extraEnv: [{ name: 'A' }] },
        ['/extraEnv/0', "missing property 'value'"],
      ],
      [
        'a name that is too long',
        { fullnameOverride: 'x'.repeat(64) },
        ['/fullnameOverride', 'got 64, want 63'],
      ],
    ])('%s', (_, values, words) => {
      const message = refusal({ host, ...values }, version)
      for (const word of words) expect(message).toContain(word)
    })
  },
)

describe('what contradicts itself is refused in a sentence', () => {
  const external = { postgres: { enabled: false }, externalDatabase: { host: 'db' } }
  const redis = { redis: { enabled: false }, externalRedis: { host: 'redis' } }
  test.each<[Values, string]>([
    [
      { host: '' },
      'host is not set: set it to the public host name, such as --set host=keyward.example.org.',
    ],
    [{ host: 'https://a/path' }, 'host is "https://a/path"; it must be a host name, host:port or an origin'],
    [{ extraHosts: ['*'] }, 'extraHosts contains "*"; each entry must be a host name'],
    [
      { extraOrigins: ['a.example.org'] },
      'extraOrigins contains "a.example.org"; each entry must be an origin',
    ],
    [{ trustedProxies: ['all'] }, 'trustedProxies contains "all"; each entry must be a CIDR'],
    [
      { host: 'http://a', ingress: { enabled: true, tls: { enabled: true } } },
      'which means http, but ingress.tls.enabled is true',
    ],
    [
      { host: '10.0.0.1', ingress: { enabled: true } },
      'ingress and httpRoute need a host name, not an address.',
    ],
    [{ httpRoute: { enabled: true } }, 'httpRoute.parentRefs is empty: name the Gateway'],
    [{ externalDatabase: { host: 'db' } }, 'set postgres.enabled=false to use the external database'],
    [{ postgres: { enabled: false } }, 'postgres.enabled is false and externalDatabase.host is empty'],
    [{ externalRedis: { host: 'redis' } }, 'set redis.enabled=false to use the external Redis'],
    [
      external,
      'externalDatabase.host needs a password: set secrets.databasePassword.existingSecret or .value.',
    ],
    [redis, 'externalRedis.host needs a password: set secrets.redisPassword.existingSecret'],
    [{ smtp: { host: 'mail' } }, 'smtp.host needs smtp.from'],
    [{ smtp: { from: 'k@example.org' } }, 'smtp.from needs smtp.host'],
    [{ smtp: { host: 'mail', from: 'k@example.org', user: 'k' } }, 'smtp.user needs a password'],
    [
      { smtp: { host: 'mail', from: 'k@example.org', password: { value: 'p' } } },
      'smtp.password needs smtp.user.',
    ],
    [
      { smtp: { host: 'mail', from: 'k@example.org', tls: 'none', ca: { pem: 'x' } } },
      'smtp.ca is not checked with smtp.tls=none',
    ],
    [{ smtp: { ca: { pem: 'x', existingSecret: 'y' } } }, 'smtp.ca names more than one of pem'],
    [
      { ...noValue, ...external, externalDatabase: { host: 'db', sslMode: 'require', ca: { pem: 'x' } } },
      'is not checked with externalDatabase.sslMode=require',
    ],
    [
      { ...noValue, redis: { enabled: false }, externalRedis: { host: 'r', ca: { pem: 'x' } } },
      'externalRedis.ca needs externalRedis.tls=true.',
    ],
    [{ externalDatabase: { sslMode: 'require' } }, 'externalDatabase.ca need externalDatabase.host.'],
    [{ externalDatabase: { ca: { pem: 'x' } } }, 'externalDatabase.ca need externalDatabase.host.'],
    [{ externalRedis: { user: 'k' } }, 'externalRedis.user needs externalRedis.host.'],
    [{ externalRedis: { tls: true } }, 'externalRedis.tls needs externalRedis.host.'],
    [{ externalRedis: { passwordless: true } }, 'externalRedis.passwordless needs externalRedis.host.'],
    [{ clusterDomain: 'local.1' }, 'clusterDomain must be a domain, such as cluster.local.'],
    [
      { secrets: { secretKey: { value: 'short' } } },
      'secrets.secretKey.value must be 64 hexadecimal characters',
    ],
    [
      { secrets: { setupToken: { value: 'a', existingSecret: 'b' } } },
      'secrets.setupToken.value is given beside an existingSecret',
    ],
    [
      { secrets: { existingSecret: 'b', setupToken: { value: 'a' } } },
      'secrets.setupToken.value is given beside an existingSecret',
    ],
    [
      { secrets: { databasePassword: { value: 'a\nb' } } },
      'The value given for DATABASE_PASSWORD contains a line break.',
    ],
    [
      { sso: { providers: [{ name: 'github', clientId: 'a', clientSecret: {} }] } },
      'GITHUB_CLIENT_SECRET is missing',
    ],
    [{ sso: { providers: [github, github] } }, 'sso.providers names github twice.'],
    [{ sso: { providers: [okta] } }, 'sso.providers names okta without an issuer'],
    [{ sso: { providers: [{ ...okta, issuer: 'http://okta' }] } }, 'must be an https:// address'],
    [{ sso: { providers: [{ ...okta, issuer: 'https://a:b@okta' }] } }, 'must be an https:// address'],
    [
      { sso: { providers: [{ ...okta, issuer: 'https://okta', scopes: ['email'] }] } },
      'The scopes of okta in sso.providers must contain openid.',
    ],
    [{ sso: { ca: { pem: 'x' } } }, 'sso.ca needs sso.providers.'],
    [{ allowedEmailDomains: ['@example.org'] }, 'allowedEmailDomains contains "@example.org"'],
    [{ rollout: { preStopSeconds: 30 } }, 'rollout.terminationGracePeriodSeconds must be more than 50'],
    [
      { worker: { autoscaling: { enabled: true }, keda: { enabled: true } } },
      'one autoscaler decides, leave one.',
    ],
    [
      { backend: { autoscaling: { enabled: true, minReplicas: 9 } } },
      'backend.autoscaling.minReplicas is more than its maxReplicas.',
    ],
  ])('%j', (values, sentence) => {
    expect(refusal({ host, ...values })).toContain(sentence)
  })

  test('the words never hold a secret', () => {
    for (const value of ['5ec12e7', '5ec12e7\nx']) {
      expect(refusal({ host, secrets: { secretKey: { value } } })).not.toContain('5ec12e7')
    }
  })
})

test('every object of the schema refuses what it does not know, but maps of names and what Kubernetes checks itself', () => {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'))
  const open: string[] = []
  walk(schema, '', (node, path) => {
    if (node.type === 'object' && node.additionalProperties !== false) open.push(path)
  })
  expect(open.sort()).toEqual([
    '/$defs/environment/items/properties/valueFrom',
    '/$defs/object',
    '/$defs/objects/items',
    '/$defs/quantities',
    '/$defs/strings',
    '/properties/extraObjects/items/anyOf/1',
    '/properties/global',
  ])
})

test('the schema knows every value, and no other', () => {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'))
  const values = YAML.parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Values
  compare(schema, { ...values, enabled: true, global: {} }, schema, '')
})

function compare(node: Manifest, value: Manifest, root: Manifest, path: string): void {
  const real = node.$ref ? root.$defs[node.$ref.replace('#/$defs/', '')] : node
  if (!real.properties || value === null) return
  const optional = /resources$/.test(path) ? ['requests', 'limits', 'claims'] : []
  const known = Object.keys(real.properties).filter((key) => !optional.includes(key) || key in value)
  expect([path, ...known.sort()]).toEqual([path, ...Object.keys(value).sort()])
  for (const key of known) compare(real.properties[key], value[key], root, `${path}/${key}`)
}

function walk(node: Manifest, path: string, visit: (node: Manifest, path: string) => void): void {
  if (typeof node !== 'object' || node === null) return
  if (!Array.isArray(node)) visit(node, path)
  for (const [key, part] of Object.entries(node)) walk(part, `${path}/${key}`, visit)
}
