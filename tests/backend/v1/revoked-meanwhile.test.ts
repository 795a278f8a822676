import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Transaction } from '../../../src/platform/postgres/database.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { member, owner, roleOf } from '../../support/people.ts'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
  await owner(ctx)
})
afterAll(() => ctx.close())

/** What an admin's creation of an app is answered that waits for another change, and that `meanwhile` is done beside. */
async function waiting(token: string, meanwhile: (tx: Transaction) => PromiseLike<unknown>) {
  const { sent } = await ctx.database.aside.begin(async (tx) => {
    await tx`select 1 from organisations for no key update`
    const sent = api(ctx).as(token).post('/v1/apps', { name: 'Late' })
    await eventually('the change waits for the lock', async () => {
      await tx`select pg_stat_clear_snapshot()`
      const locks = await tx`
        select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and backend_type = 'client backend' and datname = current_database()`
      return locks.length === 1
    })
    await meanwhile(tx)
    return { sent }
  })
  const { status, body } = await sent
  return { status, error: body.error, apps: (await ctx.db`select 1 from apps where name = 'Late'`).length }
}

test('a change that waits is refused where the caller’s token was revoked meanwhile', async () => {
  const { id, token } = await member(ctx, 'admin')
  const revoke = (tx: Transaction) => tx`delete from tokens where principal_id = ${id}`
  expect(await waiting(token, revoke)).toEqual({ status: 401, error: 'Token expired or deleted', apps: 0 })
})

test('a change that waits is refused where the caller’s role allows it no longer', async () => {
  const { id, token } = await member(ctx, 'admin')
  const developer = await roleOf(ctx, 'developer')
  const demote = (tx: Transaction) =>
    tx`update principals set role_id = ${developer.id}, role_kind = 'developer' where id = ${id}`
  expect(await waiting(token, demote)).toEqual({
    status: 403,
    error: "You don't have permission to create apps.",
    apps: 0,
  })
})
