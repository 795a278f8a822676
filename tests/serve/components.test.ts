import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import {
  cleanUp,
  databaseUrl,
  isListening,
  type Keyward,
  type KeywardOptions,
  ready,
  startKeyward,
  statusOf,
} from '../support/keyward.ts'
import { call, register, signIn } from '../support/keyward-api.ts'
import { type RestartablePostgres, startRestartablePostgres } from '../support/restartable-postgres.ts'

let postgres: RestartablePostgres
let backends: Keyward[]
let worker: Keyward
let frontend: Keyward
let token: unknown

beforeAll(async () => {
  postgres = await startRestartablePostgres()
})
afterAll(async () => {
  await cleanUp()
  await postgres.remove()
})

function start(args: string[], env: KeywardOptions['env'] = {}): Keyward {
  return startKeyward({
    args,
    env: {
      DATABASE_URL: databaseUrl(postgres.config),
      HOST: 'localhost',
      SECRET_KEY: '5e'.repeat(32),
      SERVER_SECRET: '5f'.repeat(32),
      ...env,
    },
  })
}

const portOf = (keyward: Keyward) => Number(new URL(keyward.url).port)
const waits = (keyward: Keyward) => () => keyward.output().includes('run \\"keyward migrate\\"')
const statuses = (path: string) => Promise.all(backends.map(({ url }) => statusOf(`${url}${path}`)))
const me = () => Promise.all(backends.map((backend) => call(backend, 'GET', '/v1/me/', { token })))

test('backends and worker wait until the schema is there, and migrate --wait says when', async () => {
  backends = [start(['backend']), start(['backend'])]
  worker = start(['worker'])
  const waiting = start(['migrate', '--wait'])
  const everyone = [...backends, worker, waiting]
  for (const one of everyone) await eventually('it waits for the schema', waits(one), 20)
  expect(everyone.map(({ child }) => child.exitCode)).toEqual([null, null, null, null])
  expect(await Promise.all(backends.map((backend) => isListening(portOf(backend))))).toEqual([false, false])

  // A frontend's neighbour: it has no database, no host and no secret.
  const backend = `${backends[0]?.url}/service/ready/`
  const via = startKeyward({ args: ['migrate', '--wait', '--via', backend] })
  await eventually('it waits for the backend', () =>
    via.output().includes('/service/ready/ does not answer.'),
  )

  const tooLong = start(['migrate', '--wait', '--timeout', '0'])
  expect(await tooLong.exited).toBe(1)
  expect(tooLong.output()).toContain(
    '\nGave up after 0 s. The database schema is at version 0 and must be at',
  )

  const nowhere = { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' }
  const lost = start(['migrate', '--timeout', '0'], nowhere)
  expect(await lost.exited).toBe(1)
  expect(lost.output()).toContain('\nGave up after 0 s. The database is not reachable')

  const migrate = start(['migrate'])
  expect(await migrate.exited).toBe(0)
  expect(await waiting.exited).toBe(0)
  await Promise.all(backends.map(ready))
  expect(await via.exited).toBe(0)
  await ready(worker)
  expect(worker.output()).toContain('The worker is running')
  expect(await start(['migrate'], { LOG_LEVEL: 'silent' }).exited).toBe(0)
})

test('migrate refuses an invalid --timeout or --via', async () => {
  for (const [options, words] of [
    [['--timeout', 'long'], '--timeout must be followed by a number of seconds.'],
    [['--via', 'backend:8080'], '--via must be followed by the address of /service/ready/ of a backend.'],
  ] as const) {
    const refused = start(['migrate', '--wait', ...options])
    expect(await refused.exited).toBe(1)
    expect(refused.output()).toBe(`${words}\n`)
  }
})

test('backend, worker and frontend each answer for their own health, under any Host', async () => {
  frontend = start(['frontend'], { DATABASE_URL: '' })
  await eventually('the frontend listens', () => isListening(portOf(frontend)))
  const headers = { host: 'probe.invalid' }
  expect(await statusOf(`${frontend.url}/api/health`, headers)).toBe(200)
  expect(await statusOf(`${frontend.url}/`, headers)).toBe(400)
  expect(await statusOf(`${frontend.url}/`)).toBe(200)
  expect(await statusOf(`${frontend.url}/v1/roles/`)).toBe(404)
  expect(await statusOf(`${worker.url}/`)).toBe(404)
  for (const { url } of [...backends, worker]) {
    expect(await statusOf(`${url}/service/health/`, headers)).toBe(200)
    expect(await statusOf(`${url}/service/ready/`, headers)).toBe(200)
    expect(await statusOf(`${url}/v1/roles/`, headers)).toBe(400)
    expect(await statusOf(`${url}/api/health`)).toBe(404)
  }
})

test('health exits with 0 or 1: whether Keyward is alive on its own port or at an address', async () => {
  const health = (args: string[], port: number) => {
    const asked = startKeyward({ args: ['health', ...args], env: { PORT: String(port) } })
    return asked.exited.then((code) => [code, asked.output()])
  }
  const living = [backends[0], worker, frontend].map((keyward) => portOf(keyward as Keyward))
  const codes = await Promise.all(living.map((port) => health([], port)))
  expect(codes).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ])
  const nobody = freePort()
  expect(await health([`${frontend.url}/api/health`], nobody)).toEqual([0, ''])
  expect(await health([], nobody)).toEqual([
    1,
    `http://127.0.0.1:${nobody}/service/health/ does not answer.\n`,
  ])
  const [, late] = await health([`http://127.0.0.1:${nobody}/`, '--timeout', '1'], nobody)
  expect(late).toContain('Gave up after 1 s.')
  const wrong = `${frontend.url}/service/health/`
  expect(await health([wrong], nobody)).toEqual([1, `${wrong} answers 404, not that it is alive.\n`])
})

test('what one backend revokes, the other refuses on the next request', async () => {
  const [first, second] = backends as [Keyward, Keyward]
  expect((await register(first)).status).toBe(201)
  const session = (await signIn(second)).body.accessToken
  const body = { name: 'two backends' }
  const created = await call(first, 'POST', '/v1/tokens/', { token: session, body })
  token = created.body.token
  expect((await me()).map(({ status }) => status)).toEqual([200, 200])
  const path = `/v1/tokens/${created.body.id}/`
  expect((await call(first, 'DELETE', path, { token: session })).status).toBe(204)
  const refused = { status: 401, body: { error: 'Token expired or deleted' } }
  expect(await call(second, 'GET', '/v1/me/', { token })).toEqual(refused)
  expect(await me()).toEqual([refused, refused])
  token = (await call(second, 'POST', '/v1/tokens/', { token: session, body })).body.token
  expect((await me()).map(({ status }) => status)).toEqual([200, 200])
})

test('without its database a backend is alive, but not ready, and is again by itself', async () => {
  await postgres.stop()
  expect(await statuses('/service/ready/')).toEqual([503, 503])
  expect(await statusOf(`${worker.url}/service/ready/`)).toBe(503)
  expect(await statusOf(`${worker.url}/service/health/`)).toBe(200)
  expect(await statuses('/service/health/')).toEqual([200, 200])
  const unavailable = await me()
  expect(unavailable.map(({ status }) => status)).toEqual([503, 503])
  await postgres.start()
  await Promise.all([...backends, worker].map(ready))
  expect((await me()).map(({ status }) => status)).toEqual([200, 200])
  expect(worker.child.exitCode).toBeNull()
})

test('another SERVER_SECRET is refused by a backend and by the worker', async () => {
  for (const role of ['backend', 'worker']) {
    const refused = start([role], { SERVER_SECRET: '60'.repeat(32), LOG_LEVEL: 'silent' })
    expect(await refused.exited).toBe(1)
    expect(refused.output()).toStartWith(
      "SERVER_SECRET is not the one that this database's keys are wrapped with",
    )
  }
})

test('without HOST and secrets a backend names all of them', async () => {
  const refused = startKeyward({ args: ['backend'] })
  expect(await refused.exited).toBe(1)
  const names = refused
    .output()
    .split('\n')
    .map((line) => /^([A-Z_]+) is not set: /.exec(line)?.[1])
  expect(names.filter((name) => name !== undefined)).toEqual([
    'DATABASE_URL',
    'HOST',
    'SECRET_KEY',
    'SERVER_SECRET',
  ])
})

test('each component exits with 0 on SIGTERM, also while it waits for its database', async () => {
  const lost = start(['backend'], { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c' })
  await eventually('it waits', () => lost.output().includes('The database is not reachable'))
  const codes = await Promise.all([...backends, worker, frontend, lost].map((keyward) => keyward.stop()))
  expect(codes).toEqual([0, 0, 0, 0, 0])
})
