import { afterAll, beforeAll, expect, test } from 'bun:test'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx.close())

test('deleting secrets looks up the overrides of each, also where the statistics know of none', async () => {
  const ada = await owner(ctx)
  const { id } = (await app(ctx)).environments[0] ?? { id: '' }
  const db = ctx.database.aside
  await db.begin(async (tx) => {
    await tx`
      insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
        version, created_at, updated_at)
      select gen_random_uuid(), organisation_id, app_id, id, '/', 'x', sha256(n::text::bytea), 'x', '', '{}', 'secret', 1,
        now(), now()
      from environments, generate_series(1, 500) n where id = ${id}`
    // Of members that there are none of.
    await tx`set local session_replication_role = replica`
    await tx`
      insert into secret_overrides (secret_id, principal_id, organisation_id, environment_id, id, value, is_active,
        created_at, updated_at)
      select id, gen_random_uuid(), ${ada.organisationId}, environment_id, gen_random_uuid(), 'x', true, now(), now()
      from secrets, generate_series(1, 40)`
  })
  const rowsRead = async () => {
    await db`select pg_stat_force_next_flush()`
    const [row] = await db`
      select (select seq_tup_read from pg_stat_user_tables where relname = 'secret_overrides')
        + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'secret_overrides') as count`
    return Number(row?.count)
  }
  const before = await rowsRead()
  await db`delete from secrets where environment_id = ${id}`
  expect(await db`select 1 from secret_overrides`).toHaveLength(0)
  // All rows for each secret would be ten million.
  expect((await rowsRead()) - before).toBeLessThan(200_000)
})
