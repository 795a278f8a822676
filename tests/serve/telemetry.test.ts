import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Collector, startCollector } from '../support/collector.ts'
import { type TestContext, testContext } from '../support/context.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import {
  cleanUp,
  databaseUrl,
  dataDirectory,
  isListening,
  type Keyward,
  ready,
  startKeyward,
} from '../support/keyward.ts'

const root = join(import.meta.dir, '../..')

let ctx: TestContext
let collector: Collector

beforeAll(async () => {
  ctx = await testContext()
  collector = startCollector()
})
afterAll(async () => {
  await cleanUp()
  await collector.stop()
  await ctx.close()
})

/** A component on the migrated database; its main port is the one of its address. */
function start(component: string, env: Record<string, string> = {}, command?: string[]): Keyward {
  return startKeyward({
    args: [component],
    ...(command && { command }),
    env: {
      HOST: 'localhost',
      ...(component !== 'frontend' && {
        DATABASE_URL: databaseUrl(ctx.database.config),
        SECRET_KEY: '5e'.repeat(32),
        SERVER_SECRET: '5f'.repeat(32),
      }),
      ...env,
    },
  })
}

async function listening(component: string, keyward: Keyward): Promise<void> {
  if (component !== 'frontend') await ready(keyward)
  else await eventually('it listens', () => isListening(Number(new URL(keyward.url).port)))
}

const OTEL = () => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })

const metricsOf = async (port: number, path = '/service/metrics/', init: RequestInit = {}) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

describe.each(['backend', 'worker', 'frontend'])('a %s', (component) => {
  test('has its metrics on the port of METRICS_PORT, for any Host, and nothing else there', async () => {
    const port = freePort()
    const keyward = start(component, { METRICS_PORT: String(port) })
    await listening(component, keyward)
    await eventually('the metrics are there', () => isListening(port))
    for (const path of ['/service/metrics/', '/service/metrics', '/metrics', '/metrics/']) {
      const { status, type, text } = await metricsOf(port, path, { headers: { host: 'monitor.invalid' } })
      expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
      expect(text).toContain('\nkeyward_sign_ins_total{method="password",outcome="ok"} 0\n')
      const hasQueue = text.includes('keyward_queue_jobs{queue="send-invite"} 0\n')
      expect(hasQueue).toBe(component !== 'frontend')
    }
    for (const path of ['/', '/v1/roles/', '/service/health/', '/service/metrics/x'])
      expect((await metricsOf(port, path)).status).toBe(404)
    expect((await metricsOf(port, '/metrics', { method: 'POST' })).status).toBe(405)
    await expectNoMetricsOn(keyward)
    expect(await keyward.stop()).toBe(0)
    expect(await isListening(port)).toBe(false)
  }, 60_000)

  test('has no metrics anywhere without METRICS_PORT', async () => {
    const keyward = start(component)
    await listening(component, keyward)
    await expectNoMetricsOn(keyward)
    await keyward.stop()
  }, 60_000)
})

/** Whoever asks: a peer on loopback, one that claims to be, and one that claims to be a proxy. */
async function expectNoMetricsOn({ url }: Keyward): Promise<void> {
  for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }]) {
    for (const path of ['/service/metrics/', '/service/metrics', '/metrics', '/service/v1/../metrics/']) {
      const response = await fetch(`${url}${path}`, { headers })
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.text()).not.toContain('keyward_')
    }
  }
}

test('serve has the metrics of all of it on METRICS_PORT, on the address that it listens on', async () => {
  const port = freePort()
  const env = { KEYWARD_DATA: await dataDirectory(), METRICS_PORT: String(port) }
  const keyward = startKeyward({ env })
  await ready(keyward)
  await eventually('the metrics are there', () => isListening(port))
  expect((await metricsOf(port)).text).toContain('keyward_queue_oldest_job_seconds{queue="remove-expired"}')
  await expectNoMetricsOn(keyward)
  expect(await keyward.stop()).toBe(0)
}, 60_000)

test('a METRICS_PORT that is taken is named', async () => {
  const keyward = start('frontend', { METRICS_PORT: new URL(collector.url).port })
  expect(await keyward.exited).toBe(1)
  expect(keyward.output()).toContain('is taken: set METRICS_PORT to another one.')
})

describe('traces', () => {
  const traced = (component: string, env = {}) => start(component, { ...OTEL(), ...env })
  const spansOf = (service: string) =>
    collector.spans.filter(({ resource }) => resource['service.name'] === service)

  test.each([
    ['backend', '/v1/roles', 'GET /v1/roles'],
    ['frontend', '/', 'GET /'],
    ['worker', null, null],
  ])(
    'of a %s are sent before it ends',
    async (component, path, name) => {
      const keyward = traced(component)
      await listening(component, keyward)
      if (path !== null) await fetch(`${keyward.url}${path}?needle`)
      expect(await keyward.stop()).toBe(0)
      const spans = spansOf(`keyward-${component}`)
      expect(spans.map((span) => span.name)).toEqual(name === null ? [] : [name])
    },
    60_000,
  )

  test('have the name that is configured, and the lines of a request its trace', async () => {
    const keyward = traced('backend', { OTEL_SERVICE_NAME: 'access', LOG_LEVEL: 'info' })
    await ready(keyward)
    await fetch(`${keyward.url}/v1/roles`)
    await keyward.stop()
    const [span] = spansOf('access')
    const line = keyward
      .output()
      .split('\n')
      .find((text) => text.includes('without valid credentials'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ traceId: span?.traceId, requestId: expect.any(String) })
  }, 60_000)

  test.each([
    ['is gone', 'http://127.0.0.1:1'],
    ['has no name', 'http://collector.invalid:4318'],
  ])(
    'whose collector %s keep nobody waiting',
    async (_, endpoint) => {
      const keyward = start('backend', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
      await ready(keyward)
      const begin = performance.now()
      for (let n = 0; n < 20; n++) expect((await fetch(`${keyward.url}/v1/roles`)).status).toBe(401)
      expect(performance.now() - begin).toBeLessThan(3000)
      const stopping = performance.now()
      expect(await keyward.stop()).toBe(0)
      expect(performance.now() - stopping).toBeLessThan(6000)
    },
    60_000,
  )

  test('load nothing of OpenTelemetry while they are off', async () => {
    const command = [process.execPath, '--preload', join(root, 'tests/support/loaded-telemetry.ts')]
    const main = join(root, 'src/main.ts')
    const requests = async (env: Record<string, string>) => {
      const keyward = start('backend', env, [...command, main])
      await ready(keyward)
      await fetch(`${keyward.url}/v1/roles`)
      await keyward.stop()
      return keyward.output()
    }
    expect(await requests({})).not.toContain('loaded ')
    expect(await requests({ ...OTEL(), OTEL_SDK_DISABLED: 'true' })).not.toContain('loaded ')
    expect(await requests(OTEL())).toContain('loaded ')
  }, 60_000)
})
