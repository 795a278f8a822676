import { afterAll, beforeAll, expect, test } from 'bun:test'
import { changeRole, handOver, privateKeyField, remove } from '../../../src/core/principals/principals.ts'
import { appWith, grant, type TestEnvironment } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, ownerActor, roleOf, serviceAccount } from '../../support/people.ts'

let ctx: TestContext
let ada: Awaited<ReturnType<typeof owner>>
let environments: TestEnvironment[]

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  environments = (await appWith(ctx, 'Shop', ['one', 'two', 'three'])).environments
})
afterAll(() => ctx.close())

const copiesOf = async (id: string) => {
  const rows = await ctx.db`select environment_id from environment_keys where principal_id = ${id}`
  return rows.map((row) => row.environment_id).sort()
}
const idsOf = (some: TestEnvironment[]) => some.map(({ id }) => id).sort()
const kindOf = async (id: string) =>
  (await ctx.db`select role_kind from principals where id = ${id}`)[0]?.role_kind
const principal = (id: string) => ({ id, organisationId: ada.organisationId })

test('global access adds a copy of every environment key, without it only the granted ones stay', async () => {
  const grace = await member(ctx, 'developer')
  await grant(ctx, grace.id, environments.slice(0, 1))
  const [admin, manager] = [await roleOf(ctx, 'admin'), await roleOf(ctx, 'manager')]
  await ctx.db.begin((tx) => changeRole(ctx, tx, principal(grace.id), 'developer', admin))
  expect(await copiesOf(grace.id)).toEqual(idsOf(environments))
  await ctx.db.begin((tx) => changeRole(ctx, tx, principal(grace.id), 'admin', manager))
  expect(await copiesOf(grace.id)).toEqual(idsOf(environments.slice(0, 1)))
  expect(await kindOf(grace.id)).toBe('manager')
})

test('ownership is handed over, and there is exactly one Owner at every moment', async () => {
  const grace = await member(ctx, 'admin')
  const [owners, admins] = [await roleOf(ctx, 'owner'), await roleOf(ctx, 'admin')]
  await ctx.db.begin((tx) =>
    handOver(tx, { id: ada.id, nextRole: admins }, { id: grace.id, nextRole: owners }),
  )
  expect([await kindOf(ada.id), await kindOf(grace.id)]).toEqual(['admin', 'owner'])
  const back = ctx.db.begin((tx) =>
    handOver(tx, { id: ada.id, nextRole: owners }, { id: grace.id, nextRole: admins }),
  )
  expect(await back.catch((error) => error.constraint_name)).toBe('principals_one_owner')
})

test('removing a principal deletes its keys, grants and tokens', async () => {
  const robot = await serviceAccount(ctx, 'service')
  await grant(ctx, robot.id, environments)
  await ctx.db.begin((tx) => remove(ctx, tx, ownerActor(ada), robot.id))
  expect(await copiesOf(robot.id)).toEqual([])
  for (const table of ['grants', 'tokens']) {
    expect(await ctx.db`select 1 from ${ctx.db(table)} where principal_id = ${robot.id}`).toHaveLength(0)
  }
})

test('a private key is unwrapped for its own principal only', async () => {
  const [one, other] = [await serviceAccount(ctx, 'service'), await serviceAccount(ctx, 'service')]
  const [row] = await ctx.db`select wrapped_private_key as wrapped from principals where id = ${one.id}`
  expect(ctx.keys.unwrap('identity-key', row?.wrapped, privateKeyField(one.id))).toMatch(/^[0-9a-f]{64}$/)
  expect(() => ctx.keys.unwrap('identity-key', row?.wrapped, privateKeyField(other.id))).toThrow()
})
