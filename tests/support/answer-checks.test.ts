import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import type { App } from '../../src/backend/app.ts'
import { answerChecks, WITHOUT_ENTRY } from './answer-checks.ts'
import { api } from './api.ts'
import { type TestContext, testContext } from './context.ts'
import { owner } from './people.ts'

let ctx: TestContext
let ada: Awaited<ReturnType<typeof owner>>
let check: ReturnType<typeof answerChecks>

const declares = (method: string, path: string, ...statuses: number[]) => ({
  method,
  path,
  hooks: { response: Object.fromEntries(statuses.map((status) => [status, {}])) },
})

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  const routes = [
    declares('GET', '/v1/things/', 200, 401),
    declares('PUT', '/v1/things/:id', 200, 404),
    declares('DELETE', '/v1/things/:id', 204),
    declares('DELETE', '/v1/things/all', 204, 409),
  ]
  check = answerChecks({ routes } as unknown as App, ctx.database.aside)
})
afterAll(() => ctx.close())

const answered = (
  request: string,
  status: number,
  options: { error?: string; isRecorded?: boolean } = {},
) => {
  const [method = '', path = ''] = request.split(' ')
  const headers = new Headers({ 'x-request-id': 'no-such-request' })
  const answer = { status, body: { error: options.error }, headers }
  return check({ method, path, isRecorded: options.isRecorded ?? true }, answer)
}

test('an answer has no field that its schema lacks, however deep', async () => {
  const Thing = Type.Object({
    id: Type.String(),
    owner: Type.Union([Type.Null(), Type.Object({ name: Type.String() })]),
  })
  const hooks = { response: { 200: Type.Object({ data: Type.Array(Thing) }) } }
  const routes = [{ method: 'GET', path: '/v1/things', hooks }]
  const look = (thing: object) =>
    answerChecks({ routes } as unknown as App, ctx.database.aside)(
      { method: 'GET', path: '/v1/things', isRecorded: true },
      { status: 200, body: { data: [{ id: 'a', owner: null }, thing] }, headers: new Headers() },
    )
  await look({ id: 'b', owner: { name: 'Ada' } })
  await expect(look({ id: 'b', owner: null, color: '' })).rejects.toThrow('the field .data[].color')
  await expect(look({ id: 'b', owner: { name: 'Ada', email: '' } })).rejects.toThrow('.data[].owner.email')
})

describe('the status of an answer', () => {
  test.each([
    ['GET /v1/things', 403],
    ['GET /v1/things/?limit=1', 400],
    ['HEAD /v1/things', 304],
    ['GET /service/public/v1/things', 403],
    ['PUT /v1/things/1', 409],
    ['DELETE /v1/things/1/', 409],
  ] as const)('%s may not be %d, which is not declared', async (request, status) => {
    await expect(answered(request, status)).rejects.toThrow(`answered ${status}, which it doesn't declare`)
  })

  test.each([
    ['GET /v1/things', 401],
    ['PUT /v1/things/1', 404],
    ['DELETE /v1/things/all', 409],
    ['DELETE /v1/nothing', 404],
    ['PATCH /v1/things', 405],
    ['PUT /v1/things/all', 405],
    ['OPTIONS /v1/things', 204],
  ] as const)('%s may be %d', async (request, status) => {
    await answered(request, status)
  })

  test('may be the 400 of a Host that is not served, and of that alone', async () => {
    await answered('GET /v1/things', 400, {
      error: 'This host name is not allowed. Add it to ALLOWED_HOSTS.',
    })
    await expect(answered('GET /v1/things', 400, { error: 'limit is wrong' })).rejects.toThrow('declare')
  })
})

describe('a change', () => {
  const path = '/v1/organisation'

  test('that leaves no entry is refused, unless it is said to change nothing', async () => {
    await expect(answered('PUT /v1/things/1', 200)).rejects.toThrow('left no entry')
    await expect(answered('DELETE /v1/things/1', 204)).rejects.toThrow('left no entry')
    await answered('PUT /v1/things/1', 200, { isRecorded: false })
    await answered('PUT /v1/things/1', 404)
  })

  test('that leaves one is refused where it is said to change nothing', async () => {
    const client = api(ctx).as(ada.token)
    expect((await client.put(path, { name: 'Renamed' })).status).toBe(200)
    expect((await client.unrecorded.put(path, { name: 'Renamed' })).status).toBe(200)
    await expect(client.unrecorded.put(path, { name: 'Renamed again' })).rejects.toThrow('left an entry')
    await expect(client.put(path, { name: 'Renamed again' })).rejects.toThrow('left no entry')
  })

  test('is told from others at the same moment', async () => {
    const client = api(ctx).as(ada.token)
    const names = Array.from({ length: 10 }, (_, index) => `Name ${index}`)
    await Promise.all(names.map((name) => client.put(path, { name })))
    const { name } = (await client.get(path)).body
    const outcomes = await Promise.allSettled([
      client.post('/v1/roles', { name: 'Recorded', permissions: { permissions: {}, app_permissions: {} } }),
      client.put(path, { name }),
    ])
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected'])
  })

  test('is looked for over a connection that a test neither fills nor counts', async () => {
    const busy = Array.from({ length: 10 }, () => ctx.db`select pg_sleep(0.5)`)
    await expect(answered('PUT /v1/things/1', 200)).rejects.toThrow('left no entry')
    await Promise.all(busy)
  })
})

test('every route that needs no entry exists', () => {
  const routes = api(ctx).app.routes.map(({ method, path }) => `${method} ${path.replace(/(.)\/$/, '$1')}`)
  expect(Object.keys(WITHOUT_ENTRY).filter((name) => !routes.includes(name))).toEqual([])
})
