// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like that.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { api, type Client } from '../../support/api.ts'
import { app, type TestApp } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, serviceAccount } from '../../support/people.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let client: Client
let shop: TestApp
let place: string

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
  client = service.as(ada.token)
})
beforeEach(async () => {
  shop = await app(ctx)
  place = `/v1/secrets/?app_id=${shop.id}&env=production`
})
afterAll(() => ctx.close())

const add = async (secrets: object[], at = place) => {
  const { status, body } = await client.post(at, { secrets })
  expect(body.error).toBeUndefined()
  expect(status).toBe(200)
  return body
}
const remove = (ids: string[], at = place) =>
  client.send('DELETE', at, { body: JSON.stringify({ secrets: ids }) })

describe('POST /v1/secrets', () => {
  test('stores secrets that GET gives back in clear', async () => {
    const sent = [
      { key: 'DB_URL', value: 'postgres://é🔐', comment: 'the shop', path: 'db//main/', tags: ['db'] },
      { key: 'lowerCase', value: '', type: 'config', expires_at: '2027-01-31T12:00:00Z' },
    ]
    const body = await add(sent)
    const at = ctx.clock.now().toISOString()
    expect(body[0]).toEqual({
      id: expect.any(String),
      key: 'DB_URL',
      value: 'postgres://é🔐',
      comment: 'the shop',
      keyDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      path: '/db/main',
      tags: ['db'],
      type: 'secret',
      lifecycle: 'static',
      version: 1,
      environment: shop.environments[1]?.id,
      folder: null,
      createdAt: at,
      updatedAt: at,
      override: null,
    })
    expect(body[1]).toMatchObject({
      key: 'lowerCase',
      value: '',
      comment: '',
      expiresAt: '2027-01-31T12:00:00.000Z',
    })
    const read = await client.get(place)
    expect(read.body).toEqual([body[1], body[0]])
    expect(read.headers.get('cache-control')).toBe('no-store')
    expect(read.headers.get('etag')).toBeNull()
    expect((await client.get(`/v1/secrets?app_id=${shop.id}&env=PRODuction`)).body).toEqual(read.body)
    expect((await client.get(`/service/public/v1/secrets/?app_id=${shop.id}&env=production`)).body).toEqual(
      read.body,
    )
    expect((await client.get(`/v1/secrets/?app_id=${shop.id}&env=development`)).body).toEqual([])
  })
})
