import { afterAll, beforeAll, expect, test } from 'bun:test'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'
import { explainedDatabase } from '../../support/plans.ts'

const STRANGERS = 3000

let ctx: TestContext
let ada: Person

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  await member(ctx, 'developer')
  await ctx.db`
    insert into users (id, email, email_key, full_name, created_at, updated_at)
    select gen_random_uuid(), 'a-' || n || '@example.org', 'a-' || n || '@example.org', 'AA ' || n, now(), now()
    from generate_series(1, ${STRANGERS}::int) as n`
  await ctx.db`vacuum analyze`
})
afterAll(() => ctx.close())

test('lists of members pass over nobody who has only registered, in whatever order', async () => {
  const { db, looks, end } = await explainedDatabase(ctx.database.config)
  const reader = api({ ...ctx, db, memory: null }).as(ada.token)
  try {
    for (const sort of ['name', '-name', 'email', '-email', 'role', 'created_at', 'last_seen_at']) {
      looks()
      const { status, body } = await reader.get(`/v1/members?sort=${sort}&limit=1`)
      const read = looks()
        .filter(({ table }) => table === 'users')
        .reduce((sum, { rows }) => sum + rows, 0)
      expect({ sort, status, total: body.total, fewUsers: read < STRANGERS }).toEqual({
        sort,
        status: 200,
        total: 2,
        fewUsers: true,
      })
    }
  } finally {
    await end()
  }
})
