import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'
import { digestOf, seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
let ada: Person
let stranger: Person
let service: ReturnType<typeof api>
let shop: TestApp
let secrets: ReturnType<typeof secretsOf>
let environmentId: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  stranger = await member(ctx, 'developer')
})
beforeEach(async () => {
  shop = await app(ctx)
  environmentId = shop.environments[0]?.id ?? ''
  secrets = secretsOf(service.as(ada.token), environmentId)
})
afterAll(() => ctx.close())

describe('POST /service/secrets', () => {
  test('stores secrets, and GET lists them by path and then in the order in which they came', async () => {
    const sent = [
      sealedSecret('B'),
      sealedSecret('A'),
      sealedSecret('C', 'v', { path: 'db//x/', tags: ['db'] }),
    ]
    const { status, body } = await secrets('POST', sent)
    expect(body.error).toBeUndefined()
    expect(status).toBe(200)
    const at = ctx.clock.now().toISOString()
    expect(body[0]).toEqual({
      id: expect.any(String),
      key: sent[0]?.key,
      value: sent[0]?.value,
      comment: '',
      key_digest: digestOf('B'),
      path: '/',
      tags: [],
      type: 'secret',
      lifecycle: 'static',
      version: 1,
      environment: environmentId,
      folder: null,
      created_at: at,
      updated_at: at,
      override: null,
    })
    expect(body[2]).toMatchObject({ path: '/db/x', tags: ['db'] })
    expect((await secrets('GET')).body).toEqual(body)
    expect((await secrets('GET', undefined, { path: 'db/x' })).body).toEqual([body[2]])
    expect((await secrets('GET', undefined, { keydigest: digestOf('A') })).body).toEqual([body[1]])
    expect((await secrets('GET', undefined, { tags: 'x, db' })).body).toEqual([body[2]])
    const camel = (await secrets('GET', undefined, { 'x-use-camel-case': 'true' })).body
    expect(camel[0]).toMatchObject({ keyDigest: digestOf('B'), createdAt: at })
  })
})

test('PUT changes what is sent, with a new version; DELETE deletes', async () => {
  const [one] = (await secrets('POST', [sealedSecret('ONE')])).body
  const value = seal('other')
  const changed = await secrets('PUT', [{ id: one.id, value }])
  expect(changed.body).toEqual([{ ...one, value, version: 2 }])
  const override = { value: seal('mine'), isActive: true }
  const overridden = await secrets('PUT', [{ id: one.id, override }])
  expect(overridden.body[0]).toMatchObject({ version: 2, override: { secret: one.id, is_active: true } })
  const gone = await secrets('DELETE', [one.id])
  expect(gone).toMatchObject({ status: 200, body: { message: expect.any(String) } })
  expect((await secrets('GET')).body).toEqual([])
})

test('a name that is taken is 409', async () => {
  await secrets('POST', [sealedSecret('ONE')])
  const again = await secrets('POST', [sealedSecret('TWO'), sealedSecret('ONE')])
  expect(again.status).toBe(409)
  expect((await secrets('GET')).body).toHaveLength(1)
})

test('an environment that the caller cannot open is 404', async () => {
  const theirs = secretsOf(service.as(stranger.token), environmentId)
  expect((await theirs('GET')).status).toBe(404)
  expect((await theirs('POST', [])).status).toBe(404)
  expect((await theirs('POST', [sealedSecret('ONE')])).status).toBe(404)
  expect((await secretsOf(service.as(ada.token), randomUUID())('GET')).status).toBe(404)
})
