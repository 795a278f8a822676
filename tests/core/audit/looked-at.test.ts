import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { LOOKED_AT, list } from '../../../src/core/audit/entry-queries.ts'
import { api, type Client } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner } from '../../support/people.ts'
import { explainedDatabase } from '../../support/plans.ts'

const EVENT = 'environment.updated'
const hidden = randomUUID()

let ctx: TestContext
let organisationId: string
let developer: Client & { id: string }

beforeAll(async () => {
  ctx = await testContext()
  ;({ organisationId } = await owner(ctx))
  const person = await member(ctx, 'developer')
  developer = { ...api(ctx).as(person.token), id: person.id }
  // Newest first: 5 to be seen, others for a page and a half, 3 to be seen, others to the end of the third page.
  await write(5, 0, null)
  await write(LOOKED_AT * 1.5, 10, hidden)
  await write(3, 10 + LOOKED_AT * 1.5, null)
  await write(LOOKED_AT * 1.5 - 8, 20 + LOOKED_AT * 1.5, hidden)
  await ctx.db`vacuum analyze audit_entries`
}, 120_000)
afterAll(() => ctx.close())

/** Entries a second apart, the newest `ago` seconds old. */
const write = (count: number, ago: number, environmentId: string | null) => ctx.db`
  insert into audit_entries (id, organisation_id, event_type, resource_type, environment_id, actor_type, actor_id,
    actor_metadata, resource_metadata, description, timestamp)
  select gen_random_uuid(), ${organisationId}, ${EVENT}, 'environment', ${environmentId}, 'service_account',
    ${randomUUID()}, '{}', '{}', 'Renamed.', ${ctx.clock.now()}::timestamptz - (n + ${ago}::int) * interval '1 second'
  from generate_series(1, ${count}::int) n`

async function pages(query: string): Promise<{ ids: string[]; nextCursor: string | null }[]> {
  const found = []
  let cursor: string | null = null
  do {
    const path: string = `/v1/logs/audit?event_type=${EVENT}&${query}${cursor === null ? '' : `&cursor=${cursor}`}`
    const { status, body } = await developer.get(path)
    if (status !== 200) throw new Error(`${status}: ${body.error}`)
    found.push({ ids: body.data.map(({ id }: { id: string }) => id), nextCursor: body.nextCursor })
    cursor = body.nextCursor
  } while (cursor !== null)
  return found
}

const visible = async () =>
  (
    await ctx.db<{ id: string }[]>`
      select id from audit_entries where event_type = ${EVENT} and environment_id is null order by timestamp desc, id desc`
  ).map(({ id }) => id)

test('a page ends after so many entries that its caller can not see, and the next one goes on', async () => {
  const found = await pages('limit=50')
  expect(found.map(({ ids }) => ids.length)).toEqual([5, 3, 0, 0])
  expect(found.flatMap(({ ids }) => ids)).toEqual(await visible())
})

test('its cursor does not tell the id or the time of the entry at which it ended', async () => {
  const { body } = await developer.get(`/v1/logs/audit?event_type=${EVENT}`)
  const cursor = Buffer.from(body.nextCursor, 'base64url').toString('latin1')
  const [last] = await ctx.db<{ id: string; timestamp: Date }[]>`
    select id, timestamp from audit_entries where event_type = ${EVENT}
    order by timestamp desc, id desc offset ${LOOKED_AT - 1} limit 1`
  expect(cursor).not.toContain(String(last?.id))
  expect(cursor).not.toContain(String(last?.timestamp.toISOString()))
  expect((await developer.get(`/v1/logs/audit?event_type=${EVENT}`)).body.nextCursor).toBe(body.nextCursor)
})

test('no more are read for it', async () => {
  const explained = await explainedDatabase(ctx.database.config)
  const visibility = { grantsOf: developer.id, ids: [] }
  for (const filter of [{}, { eventType: EVENT }, { environmentId: hidden }, { outcome: 'done' as const }]) {
    explained.looks()
    await list(explained.db, organisationId, filter, visibility, { limit: 50, after: null })
    const read = Math.max(...explained.looks().map(({ rows }) => rows))
    // An index without the filter has the first five, too.
    expect({ filter, isBounded: read <= LOOKED_AT + 5 }).toEqual({ filter, isBounded: true })
  }
  await explained.end()
}, 60_000)
