import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { describeLoad, startLoad } from '../support/load.ts'
import { everyday, expectWritten } from '../support/typical-requests.ts'
import { type Account, ask, found, openSeeds } from './support/account.ts'
import { output } from './support/command.ts'
import { createNamespace, type KubernetesObject, type Namespace } from './support/namespace.ts'
import { type Component, reach, serviceName } from './support/reach.ts'
import { host, type Release, releaseIn } from './support/release.ts'
import { inEverydayUse } from './support/under-load.ts'
import { isReady, podsOf } from './support/workload.ts'

const MINUTES = 60_000
// Never met; but with a limit, every request to /v1 asks Redis.
const limited = { rateLimits: { default: '1000000/min' } }

let namespace: Namespace
let release: Release
let addresses: Record<Component, string>
let secrets: Record<string, string>
let ada: Account
let seeds: string[]

beforeAll(async () => {
  namespace = await createNamespace('keyward-data')
  release = releaseIn(namespace)
}, MINUTES)
afterAll(() => namespace.remove(), 3 * MINUTES)

const backend = () => ({ url: addresses.backend, host: serviceName('backend') })
const readSecrets = async () => {
  const { data = {} } = await namespace.get('secret/keyward-secrets')
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, atob(value)]))
}

test(
  'an installation generates each secret, as 64 hexadecimal characters',
  async () => {
    await release.install(limited)
    addresses = await reach(namespace)
    secrets = await readSecrets()
    const names = ['DATABASE_PASSWORD', 'REDIS_PASSWORD', 'SECRET_KEY', 'SERVER_SECRET', 'SETUP_TOKEN']
    expect(Object.keys(secrets).sort()).toEqual(names)
    for (const value of Object.values(secrets)) expect(value).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set(Object.values(secrets)).size).toBe(5)
  },
  6 * MINUTES,
)

test('the first account belongs to whoever reads the set-up link as the notes say, not to whoever comes first', async () => {
  const body = { email: 'eve@example.org', password: 'correct horse battery' }
  const refused = await ask(backend(), 'POST', '/service/auth/password/register/', { body })
  expect(refused.status).toBe(403)
  const notes = await release.helm('get', 'notes', 'keyward')
  const command = /^ +(echo ".*")$/m.exec(notes)?.[1] ?? ''
  const link = `https://${host}/#setup_token=${secrets.SETUP_TOKEN}`
  expect(await output(['sh', '-c', command])).toBe(`${link}\n`)
  ada = await found(backend(), secrets.SETUP_TOKEN)
  seeds = await openSeeds(backend(), ada)
  expect(seeds).toHaveLength(3)
})

test(
  'an upgrade keeps the secrets, adds the one that is missing, and prefers the stored to a given one',
  async () => {
    const patch = JSON.stringify({ data: { SETUP_TOKEN: null } })
    await namespace.kubectl('patch', 'secret', 'keyward-secrets', '--type=merge', '-p', patch)
    await release.upgrade({ ...limited, secrets: { secretKey: { value: 'ab'.repeat(32) } } })
    const { SETUP_TOKEN = '', ...kept } = await readSecrets()
    const { SETUP_TOKEN: before, ...expected } = secrets
    expect(kept).toEqual(expected)
    expect(SETUP_TOKEN).toMatch(/^[0-9a-f]{64}$/)
    expect(SETUP_TOKEN).not.toBe(before ?? '')
    secrets = { ...kept, SETUP_TOKEN }
    expect(await openSeeds(backend(), ada)).toEqual(seeds)
  },
  6 * MINUTES,
)

test(
  'without its database the backend says 503, and is well again when the database is',
  async () => {
    const load = startLoad({ ...backend(), requests: everyday(ada.token), perSecond: 10 })
    await namespace.kubectl('delete', 'pod', 'keyward-postgres-0', '--grace-period=1')
    await eventually(
      'the database is back',
      async () => (await podsOf(namespace, 'postgres')).some(isReady),
      90,
    )
    const answers = async () => (await ask(backend(), 'GET', '/v1/me/', { token: ada.token })).status === 200
    await eventually('the backend answers', () => answers().catch(() => false), 60)
    const report = await load.stop()
    console.log(describeLoad('database killed', report))
    expect(report.failed).toBeGreaterThan(0)
    expect(Object.keys(report.reasons).filter((reason) => !/: status 503\b/.test(reason))).toEqual([])
    await expectWritten(backend(), ada.token, report)
    expect(await openSeeds(backend(), ada)).toEqual(seeds)
  },
  4 * MINUTES,
)

test(
  'requests are counted in Redis; without it nothing fails; and it comes back with its data',
  async () => {
    const start = new Date().toISOString()
    const log = () => namespace.kubectl('logs', 'deployment/keyward-backend', `--since-time=${start}`)
    expect(await keysOfARequest()).toContain('keyward:rate:principal:')
    expect(await log()).not.toContain('Redis')
    await redis('SET', 'before', 'the kill')
    await inEverydayUse('Redis killed', backend(), ada, async () => {
      await namespace.kubectl('delete', 'pod', 'keyward-redis-0', '--grace-period=1')
      await eventually('Redis is back', async () => (await podsOf(namespace, 'redis')).some(isReady), 90)
      await eventually('the backend knows', async () => (await log()).includes('Redis responds again'), 60)
    })
    expect(await redis('GET', 'before')).toBe('the kill\n')
    expect(await keysOfARequest()).toContain('keyward:rate:principal:')
  },
  4 * MINUTES,
)

test(
  'uninstalling keeps the secrets and the data, and a new installation opens the keys of before',
  async () => {
    await release.uninstall()
    expect(await namespace.list('deployments')).toEqual([])
    expect(await namespace.list('statefulsets')).toEqual([])
    expect(await readSecrets()).toEqual(secrets)
    expect((await namespace.list('persistentvolumeclaims')).map(nameOf).sort()).toEqual(claims)
    await release.install(limited)
    addresses = await reach(namespace)
    expect(await readSecrets()).toEqual(secrets)
    expect(await openSeeds(backend(), ada)).toEqual(seeds)
    const methods = await ask({ url: addresses.backend, host }, 'GET', '/service/auth/methods/')
    expect(methods.body).toMatchObject({ setupRequired: false })
  },
  8 * MINUTES,
)

/** A command to Redis, in its pod, with the password from its file. */
const redis = (...words: string[]) => {
  const script = 'REDISCLI_AUTH="$(cat /run/secrets/keyward/REDIS_PASSWORD)" exec redis-cli "$@"'
  return namespace.kubectl('exec', 'keyward-redis-0', '--', 'sh', '-c', script, 'sh', ...words)
}

/** What Redis holds after one request, when it was empty before. */
async function keysOfARequest(): Promise<string> {
  await redis('FLUSHALL')
  await ask(backend(), 'GET', '/v1/me/', { token: ada.token })
  return redis('--scan')
}

const claims = ['data-keyward-postgres-0', 'data-keyward-redis-0']
const nameOf = ({ metadata }: KubernetesObject) => metadata.name
