import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { visibilityFor } from '../../../src/core/audit/entry.ts'
import * as log from '../../../src/core/audit/entry-queries.ts'
import { SIGN_IN_AGAIN } from '../../../src/core/sessions/policy.ts'
import type { Database } from '../../../src/platform/postgres/database.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner } from '../../support/people.ts'
import { explainedDatabase } from '../../support/plans.ts'

let ctx: TestContext
let organisationId: string
let explained: Awaited<ReturnType<typeof explainedDatabase>>

beforeAll(async () => {
  ctx = await testContext()
  ;({ organisationId } = await owner(ctx))
  explained = await explainedDatabase(ctx.database.config)
})
afterAll(async () => {
  await explained.end()
  await ctx.close()
})

const since = () => new Date(ctx.clock.now().getTime() - 7 * 24 * 3600 * 1000)
const withoutGlobalAccess = { grantsOf: randomUUID(), ids: [] } satisfies ReturnType<typeof visibilityFor>

/** What members were refused, a second apart and the newest `ago` seconds old. */
const write = (count: number, ago: number, environmentId: string | null, description = 'No.') => ctx.db`
  insert into audit_entries (id, organisation_id, event_type, resource_type, environment_id, actor_type, actor_id,
    actor_metadata, resource_metadata, description, timestamp)
  select gen_random_uuid(), ${organisationId}, 'environment.delete_refused', 'environment', ${environmentId},
    'service_account', ${randomUUID()}, '{"role": "Service"}', '{}', ${description},
    ${ctx.clock.now()}::timestamptz - (n + ${ago}::int) * interval '1 second'
  from generate_series(1, ${count}::int) n`

/** How many refusals are found and counted, and the most rows that a statement read. */
async function denials(visibility: ReturnType<typeof visibilityFor>) {
  const db: Database = explained.db
  explained.looks()
  const range = { limit: 20, after: null }
  const found = await log.list(db, organisationId, { outcome: 'denied', from: since() }, visibility, range)
  const counted = await log.countDenials(db, organisationId, visibility, since(), 1000)
  const rows = Math.max(...explained.looks().map((look) => look.rows))
  return { found: found.length, counted, isBounded: rows <= log.NEWEST_DENIALS }
}

test('refusals that a caller can not see are not read without an end', async () => {
  await write(30, log.NEWEST_DENIALS + 5000, null)
  await write(log.NEWEST_DENIALS + 2000, 1000, randomUUID())
  await write(10, 0, null)
  await ctx.db`vacuum analyze audit_entries`
  expect(await denials(withoutGlobalAccess)).toEqual({ found: 10, counted: 10, isBounded: true })
  expect(await denials(null)).toEqual({ found: 20, counted: 1000, isBounded: true })
}, 60_000)

test('nor are those that only asked to sign in again', async () => {
  await write(log.NEWEST_DENIALS, -log.NEWEST_DENIALS - 1, null, `${SIGN_IN_AGAIN}to do this.`)
  await ctx.db`vacuum analyze audit_entries`
  expect(await denials(null)).toEqual({ found: 0, counted: 0, isBounded: true })
}, 60_000)
