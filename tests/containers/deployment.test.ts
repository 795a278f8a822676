import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type StartedTestContainer, Wait } from 'testcontainers'
import { eventually } from '../support/eventually.ts'
import { statusOf } from '../support/keyward.ts'
import { call, register, signIn } from '../support/keyward-api.ts'
import type { StartedKeywardContainer } from '../support/keyward-container.ts'
import { describeLoad, startLoad } from '../support/load.ts'
import { everyday, expectWritten } from '../support/typical-requests.ts'
import { startBalancer } from './support/balancer.ts'
import { type Deployment, startDeployment } from './support/deployment.ts'
import { docker } from './support/docker.ts'

let deployment: Deployment
let backends: [StartedKeywardContainer, StartedKeywardContainer]
let token: string

beforeAll(async () => {
  deployment = await startDeployment()
}, 900_000)
afterAll(() => deployment?.remove(), 60_000)

const host = 'localhost'
const at = (backend: StartedKeywardContainer) => ({ url: backend.getBaseUrl() })

test('backends that start first wait for migrate, and so do init containers', async () => {
  const waiting = Wait.forLogMessage('Waiting for the database')
  const gate = await deployment.start(deployment.keyward('migrate', '--wait').withWaitStrategy(waiting))
  const starting = Promise.all(
    ['backend-1', 'backend-2'].map((name) =>
      deployment.start(deployment.keyward('backend').withNetworkAliases(name)),
    ),
  )
  await Bun.sleep(1000)
  await deployment.migrate()
  backends = (await starting) as typeof backends
  await eventually('the gate is open', () => hasEnded(gate))
  const { schema } = (await call(at(backends[0]), 'GET', '/service/ready/')).body
  expect(schema).toBeGreaterThanOrEqual(2)
  expect((await backends[0].exec(['keyward', 'migrate', '--wait', '--timeout', '1'])).exitCode).toBe(0)
}, 60_000)

test('the API answers from outside, for its own host alone', async () => {
  expect((await register(at(backends[0]))).status).toBe(201)
  const session = (await signIn(at(backends[1]))).body.accessToken
  const created = await call(at(backends[0]), 'POST', '/v1/tokens/', {
    token: session,
    body: { name: 'load' },
  })
  token = String(created.body.token)
  for (const { url } of backends.map(at)) {
    expect((await call({ url }, 'GET', '/v1/me/', { token })).status).toBe(200)
    expect(await statusOf(`${url}/v1/me/`)).toBe(401)
    expect(await statusOf(`${url}/v1/me/`, { host: 'keyward.invalid' })).toBe(400)
    expect(await statusOf(`${url}/swagger/swagger-ui-bundle.js`)).toBe(200)
  }
})

test('the token that one replica revokes, the other refuses at once', async () => {
  const session = (await signIn(at(backends[0]))).body.accessToken
  const body = { name: 'to be revoked' }
  const created = await call(at(backends[0]), 'POST', '/v1/tokens/', { token: session, body })
  const me = () => call(at(backends[1]), 'GET', '/v1/me/', { token: created.body.token })
  expect((await me()).status).toBe(200)
  const path = `/v1/tokens/${created.body.id}/`
  expect((await call(at(backends[0]), 'DELETE', path, { token: session })).status).toBe(204)
  expect((await me()).status).toBe(401)
})

test('a worker and a frontend answer for their health, from the same image', async () => {
  const worker = await deployment.start(deployment.keyward('worker'))
  const stores = { DATABASE_URL: '', REDIS_URL: '', SECRET_KEY: '', SERVER_SECRET: '' }
  const frontend = await deployment.start(
    deployment
      .keyward('frontend')
      .withEnvironment(stores)
      .withWaitStrategy(Wait.forHttp('/api/health', 8080)),
  )
  for (const container of [worker, frontend, backends[0]]) {
    expect(await container.exec(['keyward', 'health'])).toMatchObject({ exitCode: 0, output: '' })
  }
  const backend = 'http://backend-1:8080/service/ready/'
  const gate = await frontend.exec(['keyward', 'migrate', '--wait', '--via', backend, '--timeout', '5'])
  expect(gate).toMatchObject({ exitCode: 0 })
}, 60_000)

test('Redis may restart under load, and no request fails', async () => {
  const report = await underLoad(backends[0].getBaseUrl(), () => deployment.redis.restart())
  console.log(describeLoad('Redis restarted', report))
  expect(report).toMatchObject({ failed: 0, reasons: {} })
}, 60_000)

test('while Postgres restarts under load requests are refused with 503, and served again by themselves', async () => {
  const { url } = at(backends[0])
  const me = () => call({ url }, 'GET', '/v1/me/', { token })
  const report = await underLoad(url, async () => {
    const restarted = deployment.postgres.restart()
    let answer = await me()
    const isRefused = async () => {
      answer = await me()
      return answer.status !== 200
    }
    await eventually('a request is refused', isRefused)
    expect(answer).toEqual({ status: 503, body: { error: expect.any(String) } })
    await restarted
    await eventually('it is ready again', async () => (await statusOf(`${url}/service/ready/`)) === 200)
  })
  console.log(describeLoad('Postgres restarted', report))
  const others = Object.keys(report.reasons).filter((reason) => !/: status 503\b/.test(reason))
  expect(others).toEqual([])
  const after = await underLoad(url, () => Bun.sleep(1000))
  expect(after).toMatchObject({ failed: 0, reasons: {} })
}, 60_000)

test('a replica that gets SIGTERM as it is left out of the Service loses no request, not even on a kept connection', async () => {
  const balancer = await startBalancer(backends.map((backend) => backend.getBaseUrl()))
  // So many that kept connections are hardly ever cut without a request on its way.
  const requests = [{ path: '/service/health/' }]
  const many = startLoad({ url: balancer.url, host, requests, perSecond: 600, keptConnections: 40 })
  const report = await underLoad(balancer.url, async () => {
    balancer.endpoints([backends[1].getBaseUrl()])
    expect(balancer.connections(backends[0].getBaseUrl())).toBeGreaterThan(5)
    await docker('stop', '--time', '25', backends[0].getId())
  })
  const reports = [report, await many.stop()]
  balancer.close()
  for (const each of reports) {
    console.log(describeLoad('One of two replicas stopped', each))
    expect(each).toMatchObject({ failed: 0, reasons: {} })
  }
}, 60_000)

test('requests under way at SIGTERM are answered', async () => {
  // A sign-in takes long enough to be caught in the middle.
  let underWay = 16
  const asked = Array.from({ length: underWay }, () => signIn(at(backends[1])).finally(() => underWay--))
  await Bun.sleep(50)
  await docker('kill', '--signal', 'TERM', backends[1].getId())
  expect(underWay).toBeGreaterThan(0)
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200))
  expect(await docker('wait', backends[1].getId())).toBe('0')
}, 60_000)

/** Works while requests of everyday use come in, each of which asks Postgres and Redis. */
async function underLoad(url: string, work: () => Promise<unknown>) {
  const load = startLoad({ url, host, requests: everyday(token), perSecond: 80, maxSeconds: 60 })
  await Bun.sleep(1000)
  await work()
  await Bun.sleep(1000)
  const report = await load.stop()
  await expectWritten({ url, host }, token, report)
  return report
}

async function hasEnded(container: StartedTestContainer): Promise<boolean> {
  const child = Bun.spawn([
    'docker',
    'inspect',
    '--format',
    '{{.State.Status}} {{.State.ExitCode}}',
    container.getId(),
  ])
  return (await child.stdout.text()).trim() === 'exited 0'
}
