import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { PER_MEMBER } from '../../../src/core/secrets/override-limit.ts'
import { api, type Client } from '../../support/api.ts'
import { appWith, grant } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, serviceAccount } from '../../support/people.ts'
import { seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let admin: Client
let place: string
let environmentId: string
let environments: Awaited<ReturnType<typeof appWith>>['environments']
let secretId: string

beforeAll(async () => {
  ctx = await testContext({ RATE_LIMIT_AUTH: 'off' })
  service = api(ctx)
  ada = await owner(ctx)
  admin = service.as(ada.token)
})
beforeEach(async () => {
  await ctx.db`delete from sign_in_attempts`
  const shop = await appWith(ctx, `App ${randomUUID()}`, ['One'])
  environments = shop.environments
  await grant(ctx, ada.id, environments)
  environmentId = environments[0]?.id ?? ''
  place = `/v1/secrets/?app_id=${shop.id}&env=One`
  secretId = (await secretsOf(admin, environmentId)('POST', [sealedSecret('ONE')])).body[0].id
})
afterAll(() => ctx.close())

const REFUSED = { error: 'Too many changes of your overrides. Try again later.' }
const path = () => `/v1/secrets/${secretId}/override`
const counts = async (): Promise<number[]> =>
  (await ctx.db<{ count: number }[]>`select count from sign_in_attempts`).map(({ count }) => count)
const useUp = () => ctx.db`update sign_in_attempts set count = ${PER_MEMBER.limit}`
const changes = async (): Promise<number> =>
  (
    await ctx.db`
      select 1 from audit_entries
      where environment_id = ${environmentId} and event_type = 'secret.override_changed'`
  ).length

test('a member who may only read changes its overrides so many times an hour, and nobody else counts', async () => {
  const permissions = { permissions: {}, app_permissions: { Secrets: ['read'] } }
  const role = (await admin.post('/v1/roles', { name: 'Reader', permissions })).body
  const readers = [await member(ctx, { id: role.id }), await member(ctx, { id: role.id })]
  for (const { id } of readers) await grant(ctx, id, environments)
  const [one, other] = readers.map(({ token }) => service.as(token))
  expect((await one?.put(path(), { value: seal('mine') }))?.status).toBe(200)
  await ctx.db`update sign_in_attempts set count = ${PER_MEMBER.limit - 1}`
  expect((await one?.put(path(), { is_active: false }))?.status).toBe(200)
  const before = await changes()
  for (const refused of [await one?.put(path(), { is_active: true }), await one?.delete(path())]) {
    expect([refused?.status, refused?.body]).toEqual([429, REFUSED])
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(await changes()).toBe(before)
  expect((await other?.put(path(), { value: seal('mine') }))?.status).toBe(200)
  ctx.clock.advance(PER_MEMBER.windowSeconds)
  expect((await one?.delete(path()))?.status).toBe(200)
})

test('requests that write secrets count once when they have overrides, and not without', async () => {
  const sealed = secretsOf(admin, environmentId)
  const sealedOverride = { value: seal('mine') }
  const plainOverride = { value: 'mine' }
  const [A, B, C, D] = ['A', 'B', 'C', 'D'].map((key) => sealedSecret(key, key, { override: sealedOverride }))
  expect((await sealed('POST', [A, B])).status).toBe(200)
  expect(await counts()).toEqual([1])
  const own = [{ id: secretId, value: seal('x'), override: sealedOverride }]
  expect((await sealed('PUT', own)).status).toBe(200)
  expect(await counts()).toEqual([2])
  const plain = (key: string) => ({ secrets: [{ key, value: 'x', override: plainOverride }] })
  const { status, body } = await admin.post(place, plain('E'))
  expect(status).toBe(200)
  expect(await counts()).toEqual([3])
  await useUp()
  const before = await changes()
  const refused = [
    await sealed('POST', [C, D]),
    await sealed('PUT', [{ id: secretId, override: { isActive: false } }]),
    await admin.post(place, plain('F')),
    await admin.put(place, { secrets: [{ id: body[0].id, override: { value: 'other' } }] }),
  ]
  for (const { status, body } of refused) expect([status, body]).toEqual([429, REFUSED])
  expect(await changes()).toBe(before)
  expect((await sealed('PUT', [{ id: secretId, value: seal('y') }])).status).toBe(200)
  expect((await sealed('POST', [sealedSecret('C')])).status).toBe(200)
})

test('a service account is refused overrides by another rule, and counts nothing', async () => {
  const robot = await serviceAccount(ctx, 'service')
  await grant(ctx, robot.id, environments)
  expect((await service.as(robot.token).put(path(), { value: seal('x') })).status).toBe(403)
  expect(await counts()).toEqual([])
})
