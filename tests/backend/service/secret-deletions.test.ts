import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { removeExpired } from '../../../src/core/housekeeping.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person, roleOf } from '../../support/people.ts'
import { inTurn } from '../../support/races.ts'
import { digestOf, seal, sealedSecret, secretsOf } from '../../support/secrets.ts'

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person
let appId: string
let environmentId: string
/** In the order of the digests of their keys, which they are found in. */
let secretIds: string[]

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx)
  ada = await owner(ctx)
})
afterAll(() => ctx.close())

beforeEach(async () => {
  const { body } = await service.as(ada.token).post('/v1/apps', { name: `App ${randomUUID()}` })
  appId = body.id
  environmentId = body.environments[0].id
  const keys = ['ONE', 'TWO', 'THREE'].sort((a, b) => (digestOf(a) < digestOf(b) ? -1 : 1))
  const secrets = secretsOf(service.as(ada.token), environmentId)
  const made = await secrets(
    'POST',
    keys.map((key) => sealedSecret(key)),
  )
  secretIds = made.body.map(({ id }: { id: string }) => id)
})

const override = ({ token }: Person, secretId = secretIds[0], backend = service) =>
  backend.as(token).put(`/v1/secrets/${secretId}/override`, { value: seal('mine') })
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status)
const storesNoOverride = (tx: Parameters<Parameters<typeof inTurn>[1]>[0]) =>
  tx`lock table secret_overrides in exclusive mode`

describe('a change of secrets that is under way is waited for, and later ones of another backend wait', () => {
  test('by the deletion of the app', async () => {
    const [first, later] = [await member(ctx, 'admin'), await member(ctx, 'admin')]
    const answers = await inTurn(
      ctx.database.aside,
      storesNoOverride,
      () => override(first),
      () => service.as(ada.token).delete(`/v1/apps/${appId}`),
      () => override(later, secretIds[0], api(ctx)),
    )
    expect(statuses(answers)).toEqual([200, 204, 404])
  })

  test('by a new name of the app', async () => {
    const [first, later] = [await member(ctx, 'admin'), await member(ctx, 'admin')]
    const secrets = secretsOf(api(ctx).as(later.token), environmentId)
    const order: string[] = []
    const noted = async <T>(name: string, answer: Promise<T>) => {
      const answered = await answer
      order.push(name)
      return answered
    }
    const answers = await inTurn(
      ctx.database.aside,
      storesNoOverride,
      () => noted('first', override(first)),
      () => noted('name', service.as(ada.token).put(`/v1/apps/${appId}`, { name: randomUUID() })),
      () => noted('later', secrets('POST', [sealedSecret('FOUR')])),
    )
    expect(statuses(answers)).toEqual([200, 200, 200])
    expect(order).toEqual(['first', 'name', 'later'])
  })

  test('by the removal of the member whose override it is, and neither is refused', async () => {
    const grace = await member(ctx, 'admin')
    const answers = await inTurn(
      ctx.database.aside,
      storesNoOverride,
      () => override(grace),
      () => service.as(ada.token).delete(`/v1/members/${grace.id}`),
    )
    expect(statuses(answers)).toEqual([200, 204])
    expect(await ctx.db`select 1 from secret_overrides where principal_id = ${grace.id}`).toHaveLength(0)
  })
})

describe('secrets are deleted beside what takes their overrides away, and neither is refused', () => {
  const developer = async () => (await roleOf(ctx, 'developer')).id
  test.each<[string, (id: string) => Promise<{ status: number }>, number]>([
    ['the removal of a member', (id) => service.as(ada.token).delete(`/v1/members/${id}`), 204],
    ['a change of access', (id) => service.as(ada.token).put(`/v1/members/${id}/access`, { apps: [] }), 200],
    [
      'another role',
      async (id) => service.as(ada.token).put(`/v1/members/${id}`, { role_id: await developer() }),
      200,
    ],
  ])('%s', async (what, takeAway, status) => {
    const carol = await member(ctx, what === 'another role' ? 'admin' : 'developer')
    if (what !== 'another role') {
      const access = { apps: [{ id: appId, environments: [environmentId] }] }
      await service.as(ada.token).put(`/v1/members/${carol.id}/access`, access)
    }
    // Found by their secrets, the overrides come in another order than they do by their member.
    for (const id of secretIds.toReversed()) expect((await override(carol, id)).status).toBe(200)
    const answers = await inTurn(
      ctx.database.aside,
      (tx) => tx`select 1 from secret_overrides where secret_id = ${secretIds[1] as string} for update`,
      () => secretsOf(service.as(ada.token), environmentId)('DELETE', secretIds),
      () => takeAway(carol.id),
    )
    expect(statuses(answers)).toEqual([200, status])
  })
})

test('an app goes at once however many versions of secrets it has; what it leaves can’t be read, and goes in parts', async () => {
  const [secretId = ''] = secretIds
  await ctx.db`
    insert into secret_versions
    select (jsonb_populate_record(v, jsonb_build_object('secret_id', gen_random_uuid()))).*
    from secret_versions v, generate_series(1, 25000) where v.secret_id = ${secretId}`
  await ctx.db`update secrets set expires_at = ${ctx.clock.now()} where id = ${secretId}`
  const left = async () =>
    (await ctx.db`select 1 from secret_versions where environment_id = ${environmentId}`).length
  const owner = service.as(ada.token)
  expect((await owner.delete(`/v1/apps/${appId}`)).status).toBe(204)
  expect(await left()).toBeGreaterThan(10_000)
  expect((await owner.get(`/v1/secrets/${secretId}/versions`)).status).toBe(404)
  expect((await owner.post(`/v1/secrets/${secretId}/restore`, { version: 1 })).status).toBe(404)
  expect((await owner.get('/v1/attention')).body.expiringSecrets.total).toBe(0)
  await removeExpired(ctx)
  expect(await left()).toBe(0)
  expect(await ctx.db`select 1 from deleted_environments`).toHaveLength(0)
})
