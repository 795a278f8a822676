import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { traceOfLine } from '../../../src/platform/log.ts'
import { startTracing } from '../../../src/platform/telemetry/open-telemetry.ts'
import type { TracingConfig } from '../../../src/platform/telemetry/tracing-config.ts'
import { traceCall, tracing } from '../../../src/platform/tracing.ts'
import { api } from '../../support/api.ts'
import { type Collector, type ReceivedSpan, startCollector } from '../../support/collector.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { recordedLog } from '../../support/log-recorder.ts'
import { owner, type Person } from '../../support/people.ts'

const PARENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const TRACEPARENT = `00-${PARENT.traceId}-${PARENT.spanId}-01`

let ctx: TestContext
let ada: Person
let collector: Collector
let stopTracing: () => Promise<void> = async () => {}

beforeAll(async () => {
  ctx = await testContext({ TRUSTED_PROXIES: '10.0.0.0/8' })
  ada = await owner(ctx)
})
afterEach(async () => {
  await stopTracing()
  await collector.stop()
})
afterAll(() => ctx.close())

function trace(
  answer?: () => Response | Promise<Response>,
  config: Partial<TracingConfig> = {},
  { log } = recordedLog(),
) {
  collector = startCollector(answer)
  const defaults = { headers: {}, ca: null, serviceName: null, attributes: {} }
  const sampler = { name: 'parentbased_always_on', ratio: 1 } as const
  stopTracing = startTracing(
    { url: `${collector.url}/v1/traces`, ...defaults, sampler, ...config },
    { service: 'keyward-test', version: 'v1.2.3', log },
  )
}

/** What was received, once all is sent. */
async function received(): Promise<ReceivedSpan[]> {
  await stopTracing()
  return collector.spans
}

const requestSpans = async () => (await received()).filter(({ kind }) => kind === 2)

test('a request is a span, with its route and status, and its statements are its children', async () => {
  trace()
  await api(ctx).as(ada.token).get(`/v1/members/${ada.id}?x=1`)
  const spans = await received()
  const [request, ...others] = spans.filter(({ kind }) => kind === 2)
  expect(others).toEqual([])
  expect(request).toMatchObject({
    name: 'GET /v1/members/:id',
    parentSpanId: '',
    status: 0,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/v1/members/:id',
      'http.response.status_code': 200,
    },
    resource: { 'service.name': 'keyward-test', 'service.version': 'v1.2.3' },
  })
  const statements = spans.filter(({ kind }) => kind === 3)
  expect(statements.length).toBeGreaterThan(1)
  for (const { parentSpanId, traceId, attributes } of statements) {
    expect([parentSpanId, traceId]).toEqual([request?.spanId ?? '', request?.traceId ?? ''])
    expect(attributes['db.system.name']).toBe('postgresql')
  }
})

test('a change is traced from BEGIN to COMMIT, a failed statement by its code', async () => {
  trace()
  const client = api(ctx).as(ada.token)
  await client.post('/v1/apps', { name: 'Traced' })
  await client.post('/v1/apps', { name: 'Traced' })
  await tracing()?.follow('server', 'GET', null, async () => {
    await ctx.db`select 1 / ${0}::int`.catch(() => {})
    await ctx.db.begin((tx) => tx`select 'needle'::int`).catch(() => {})
  })
  const spans = await received()
  const names = spans.filter(({ kind }) => kind === 3).map(({ name }) => name)
  for (const name of [
    'BEGIN',
    'SELECT organisations',
    'INSERT apps',
    'INSERT audit_entries',
    'COMMIT',
    'ROLLBACK',
  ])
    expect(names).toContain(name)
  const failed = spans.filter(({ kind, status }) => kind === 3 && status === 2)
  expect(failed.map(({ attributes }) => attributes['error.type'])).toEqual(['22012', '22P02'])
})

test('requests that run at once keep their statements apart', async () => {
  trace()
  // Each reads for itself: nothing is remembered, and no load is shared.
  const client = api({ ...ctx, memory: null }).as(ada.token)
  const paths = ['/v1/roles', '/v1/organisation', '/v1/apps', '/v1/me']
  await Promise.all(paths.flatMap((path) => [client.get(path), client.get(path), client.get(path)]))
  const spans = await received()
  const requests = spans.filter(({ kind }) => kind === 2)
  expect(new Set(requests.map(({ traceId }) => traceId)).size).toBe(12)
  for (const { name, spanId } of requests) {
    const statements = spans.filter(({ parentSpanId }) => parentSpanId === spanId).map((span) => span.name)
    const table = name.replace('GET /v1/', '')
    // A span is named for the first table of its statement: each app comes with its environments.
    if (table === 'apps') expect(statements).toContain('SELECT environments')
    else expect(statements).not.toContain('SELECT environments')
  }
})

test('nothing that people sent, no secret and no address is in what is sent', async () => {
  trace()
  const client = api(ctx, '203.0.113.77')
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'needle-agent',
    cookie: 'keyward_session=needle-cookie',
    'x-request-id': 'needle-request-id',
    'x-forwarded-for': '198.51.100.99',
    tracestate: 'vendor=needle-state',
    baggage: 'user=needle-baggage',
  }
  const login = (email: string, password: string) =>
    client.anonymous.send('POST', '/service/auth/password/login/', {
      headers,
      body: JSON.stringify({ email, password }),
    })
  await login('needle@example.org', 'needle-password')
  await client.anonymous.send('POST', '/service/auth/password/login/', { headers, body: '{"needle-broken' })
  await client.as(ada.token).post('/v1/apps', { name: 'needle-app', description: 'needle-description' })
  await client.as(ada.token).post('/v1/members/invites', { email: 'needle@example.org', role_id: ada.id })
  await client.as(ada.token).get('/v1/needle-path/needle@example.org?needle-query=1')
  await client.as('kw_pat_needletokenneedletokenneedletokenneedletokenneedle').get('/v1/roles')
  await client.anonymous.send('NEEDLE-METHOD', '/v1/roles', { headers })
  await client.as(ada.token).get(`/v1/roles?cursor=needle-cursor`)
  const spans = await received()
  expect(spans.length).toBeGreaterThan(20)
  const sent = collector.requests.map(({ text }) => text).join()
  expect(sent.toLowerCase()).not.toContain('needle')
  const [user] = await ctx.db<{ email: string }[]>`select email from users where id = ${ada.userId}`
  for (const secret of [ada.token, user?.email ?? '', '203.0.113.77', '198.51.100.99'])
    expect(sent).not.toContain(secret)
  for (const key of [ctx.config.secretKey, ctx.config.serverSecret])
    expect(sent.toLowerCase()).not.toContain(Buffer.from(key).toString('hex'))
  for (const id of [ada.id, ada.userId]) expect(sent).not.toContain(id)
  expect(spans.every(({ events }) => events === 0)).toBe(true)
})

test('the trace of a trusted proxy goes on, and that of anyone else does not', async () => {
  trace()
  const headers = { traceparent: TRACEPARENT }
  for (const peer of ['10.1.2.3', '203.0.113.7', '127.0.0.1'])
    await api(ctx, peer).as(ada.token).send('GET', '/v1/roles', { headers })
  const [proxy, ...strangers] = await requestSpans()
  expect(proxy).toMatchObject({ traceId: PARENT.traceId, parentSpanId: PARENT.spanId })
  expect(strangers).toHaveLength(2)
  for (const { traceId, parentSpanId } of strangers) {
    expect(traceId).not.toBe(PARENT.traceId)
    expect(parentSpanId).toBe('')
  }
})

test.each([
  '',
  'needle',
  `00-${'0'.repeat(32)}-${PARENT.spanId}-01`,
  `00-${PARENT.traceId}-${'0'.repeat(16)}-01`,
  `00-${PARENT.traceId.toUpperCase()}-${PARENT.spanId}-01`,
  `ff-${PARENT.traceId}-${PARENT.spanId}-01`,
  `${TRACEPARENT}-more`,
  `${TRACEPARENT}, ${TRACEPARENT}`,
])('a traceparent that is not valid is no parent: %j', async (traceparent) => {
  trace()
  await api(ctx, '10.1.2.3').as(ada.token).send('GET', '/v1/roles', { headers: { traceparent } })
  expect(await requestSpans()).toMatchObject([{ parentSpanId: '', name: 'GET /v1/roles' }])
})

test('a trusted proxy that does not record keeps the request from being recorded', async () => {
  trace()
  const headers = { traceparent: TRACEPARENT.replace(/01$/, '00') }
  await api(ctx, '10.1.2.3').as(ada.token).send('GET', '/v1/roles', { headers })
  expect(await received()).toEqual([])
})

test.each([
  ['always_off', 0],
  ['parentbased_always_off', 0],
  ['always_on', 5],
  ['parentbased_always_on', 5],
] as const)('with the sampler %s, %i of 5 requests are traced', async (name, count) => {
  trace(undefined, { sampler: { name, ratio: 1 } })
  for (let n = 0; n < 5; n++) await api(ctx).as(ada.token).get('/v1/roles')
  expect(await requestSpans()).toHaveLength(count)
})

test('with traceidratio a share is traced', async () => {
  trace(undefined, { sampler: { name: 'traceidratio', ratio: 0.5 } })
  for (let n = 0; n < 40; n++) await api(ctx).anonymous.get('/v1/nothing')
  const { length } = await requestSpans()
  expect(length).toBeGreaterThan(2)
  expect(length).toBeLessThan(38)
})

test('health and readiness have no span', async () => {
  trace()
  for (const path of ['/service/health', '/service/ready/?x=1']) await api(ctx).anonymous.get(path)
  expect(await received()).toEqual([])
})

test('a response with a status of 500 or more is a failed span', async () => {
  trace()
  const { log } = recordedLog()
  const passwords = { ...ctx.passwords, verify: () => Promise.reject(new Error('needle')) }
  const body = { email: 'ada@example.org', password: 'needle-password' }
  const answer = await api({ ...ctx, log, passwords }).anonymous.unrecorded.post(
    '/service/auth/password/login',
    body,
  )
  expect(answer.status).toBe(500)
  expect(await requestSpans()).toMatchObject([{ status: 2, attributes: { 'error.type': '500' } }])
  expect(collector.requests.map(({ text }) => text).join()).not.toContain('needle')
})

test('an outgoing call is a child of what makes it, and has no span by itself', async () => {
  trace()
  await traceCall('alone', {}, async () => {})
  await tracing()?.follow('consumer', 'process send-invite', null, async () => {
    await traceCall('SMTP send', {}, async () => {})
    const failing = traceCall('SMTP send', {}, () => Promise.reject(new TypeError('needle')))
    await expect(failing).rejects.toThrow('needle')
  })
  const spans = await received()
  const job = spans.find(({ kind }) => kind === 5)
  expect(spans.filter(({ kind }) => kind === 3)).toMatchObject([
    { name: 'SMTP send', parentSpanId: job?.spanId, status: 0 },
    { name: 'SMTP send', parentSpanId: job?.spanId, status: 2, attributes: { 'error.type': 'TypeError' } },
  ])
  expect(spans).toHaveLength(3)
})

test('lines of the log have the trace of the request, and none outside of one', async () => {
  trace()
  let inside = {}
  await tracing()?.follow('server', 'GET', null, async () => {
    await Bun.sleep(1)
    inside = traceOfLine()
  })
  const [span] = await received()
  expect(inside).toEqual({ traceId: span?.traceId ?? '' })
  expect(traceOfLine()).toEqual({})
})

test('the collector gets the configured headers and attributes', async () => {
  trace(undefined, {
    headers: { authorization: 'Bearer collector' },
    attributes: { 'deployment.environment.name': 'eu' },
  })
  await api(ctx).anonymous.get('/v1/nothing')
  const [span] = await received()
  expect(span?.resource['deployment.environment.name']).toBe('eu')
  expect(collector.requests[0]?.headers.get('authorization')).toBe('Bearer collector')
  expect(collector.requests[0]?.path).toBe('/v1/traces')
})

const FAILURES: [string, () => Response | Promise<Response>][] = [
  ['refuses with 500', () => new Response('needle', { status: 500 })],
  ['refuses with 400', () => new Response('needle', { status: 400 })],
  ['never answers', () => new Promise<Response>(() => {})],
  ['answers hugely', () => new Response('x'.repeat(8_000_000))],
  ['redirects', () => Response.redirect('http://127.0.0.1:1/', 307)],
]

test.each(FAILURES)(
  'a collector that %s neither delays nor fails requests, nor the end',
  async (_, answer) => {
    trace(answer)
    const client = api(ctx).as(ada.token)
    const start = performance.now()
    for (let n = 0; n < 20; n++) expect((await client.get('/v1/roles')).status).toBe(200)
    expect(performance.now() - start).toBeLessThan(3000)
    const stopping = performance.now()
    await stopTracing()
    expect(performance.now() - stopping).toBeLessThan(3500)
    expect((await client.get('/v1/roles')).status).toBe(200)
  },
)

test('a collector that is down is told of once, without what it says, and back again', async () => {
  const recorded = recordedLog()
  let isDown = true
  trace(() => new Response('needle', { status: isDown ? 400 : 200 }), {}, recorded)
  const client = api(ctx).as(ada.token)
  for (let n = 0; n < 3; n++) {
    await client.get('/v1/roles')
    const before = collector.requests.length
    await eventually('a batch is sent', () => collector.requests.length > before)
  }
  await eventually('a warning', () => recorded.warnings().length > 0)
  expect(recorded.warnings()).toHaveLength(1)
  expect(recorded.warnings()[0]).toContain('The collector takes no traces')
  isDown = false
  await client.get('/v1/roles')
  await eventually('it is told that it is back', () => recorded.lines.join().includes('takes traces again'))
  expect(recorded.lines.join()).not.toContain('needle')
}, 60_000)

test('spans that can’t be sent are dropped beyond a bound', async () => {
  trace(() => new Promise<Response>(() => {}))
  for (let n = 0; n < 20_000; n++) await tracing()?.follow('server', 'GET', null, async () => {})
  await Bun.sleep(50)
  // One batch is on its way, the others wait; what is beyond 2,048 is not kept.
  expect(collector.requests.length).toBeLessThanOrEqual(1)
  const sent = new Promise<number>((resolve) => setTimeout(() => resolve(collector.requests.length), 500))
  await stopTracing()
  expect(await sent).toBeLessThanOrEqual(6)
})
