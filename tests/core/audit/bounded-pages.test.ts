import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { EntryFilter, visibilityFor } from '../../../src/core/audit/entry.ts'
import { LOOKED_AT, list } from '../../../src/core/audit/entry-queries.ts'
import { api, type Client } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner } from '../../support/people.ts'
import { explainedDatabase } from '../../support/plans.ts'

/*
 * Of a page's entries that its caller can not see, or that do not match its filter, there may be millions: it looks at some
 * of them, and the next page goes on.
 */

const EVENT = 'environment.updated'
const [app, environment, actor] = [randomUUID(), randomUUID(), randomUUID()]

let ctx: TestContext
let organisationId: string
let ada: Client
let developer: Client & { id: string }

beforeAll(async () => {
  ctx = await testContext()
  const first = await owner(ctx)
  organisationId = first.organisationId
  ada = api(ctx).as(first.token)
  const person = await member(ctx, 'developer')
  developer = { ...api(ctx).as(person.token), id: person.id }
  // Newest first: 5, hidden ones for a page and a half, 3, and hidden ones to the end of the third page.
  await write(5, 0, { by: actor })
  await write(LOOKED_AT * 1.5, 10, { place: environment })
  await write(3, 10 + LOOKED_AT * 1.5, { by: actor })
  await write(LOOKED_AT * 1.5 - 8, 20 + LOOKED_AT * 1.5, { place: environment })
  // Between the hidden ones.
  await write(2, 100.5, { place: environment, by: actor })
  await write(2, LOOKED_AT + 100.5, { place: environment, by: actor })
  await changeAccess(200.5)
  await changeAccess(LOOKED_AT + 200.5)
  await changeAccess(LOOKED_AT * 4)
  await ctx.db`vacuum analyze`
}, 120_000)
afterAll(() => ctx.close())

type Written = { place?: string; by?: string }

/** Entries a second apart, the newest `ago` seconds old. */
const write = (count: number, ago: number, { place, by = randomUUID() }: Written) => ctx.db`
  insert into audit_entries (id, organisation_id, event_type, resource_type, resource_id, app_id, environment_id, actor_type,
    actor_id, actor_metadata, resource_metadata, description, timestamp)
  select gen_random_uuid(), ${organisationId}, ${EVENT}, 'environment', ${place ?? null}, ${place === undefined ? null : app}, ${place ?? null},
    'service_account', ${by}, '{}', '{}', 'Renamed.',
    ${ctx.clock.now()}::timestamptz - (n + ${ago}::float) * interval '1 second'
  from generate_series(1, ${count}::int) n`

/** A change of access to the environment, so many seconds old. */
const changeAccess = (ago: number) => ctx.db`
  insert into audit_entries (id, organisation_id, event_type, resource_type, resource_id, actor_type, actor_id,
    actor_metadata, resource_metadata, new_values, description, timestamp)
  values (gen_random_uuid(), ${organisationId}, 'member.access_changed', 'member', ${randomUUID()}, 'service_account', ${actor},
    '{}', '{}', ${ctx.db.json({ granted: [environment] })}, 'Access changed.',
    ${ctx.clock.now()}::timestamptz - ${ago}::float * interval '1 second')`

/** The ids on each page. */
async function pages(client: Client, query: string): Promise<string[][]> {
  const found = []
  let cursor: string | null = null
  do {
    const path: string = `/v1/logs/audit?${query}${cursor === null ? '' : `&cursor=${cursor}`}`
    const { status, body } = await client.get(path)
    if (status !== 200) throw new Error(`${status}: ${body.error}`)
    found.push(body.data.map(({ id }: { id: string }) => id))
    cursor = body.nextCursor
  } while (cursor !== null)
  return found
}
const sizesOf = (found: string[][]) => found.map((ids) => ids.length)

const newestFirst = async (where: ReturnType<typeof ctx.db>): Promise<string[]> =>
  (
    await ctx.db<
      { id: string }[]
    >`select id from audit_entries where ${where} order by timestamp desc, id desc`
  ).map(({ id }) => id)

describe('a page ends after so many entries, and the next one goes on', () => {
  test('where its caller can not see them', async () => {
    const found = await pages(developer, `event_type=${EVENT}`)
    expect(sizesOf(found)).toEqual([5, 3, 0, 0])
    expect(found.flat()).toEqual(await newestFirst(ctx.db`event_type = ${EVENT} and environment_id is null`))
  })

  test('where they do not match its filter', async () => {
    const found = await pages(ada, `resource_type=environment&app_id=${app}&actor_type=user`)
    expect(sizesOf(found)).toEqual([0, 0, 0])
    const ofActor = await pages(ada, `app_id=${app}&actor_id=${actor}&limit=3`)
    expect(ofActor.flat()).toEqual(await newestFirst(ctx.db`app_id = ${app} and actor_id = ${actor}`))
  })

  test('without the changes of access that are older', async () => {
    const found = await pages(ada, `environment_id=${environment}&actor_id=${actor}`)
    expect(sizesOf(found)).toEqual([3, 3, 1])
    expect(found.flat()).toEqual(
      await newestFirst(
        ctx.db`actor_id = ${actor} and (environment_id = ${environment} or event_type = 'member.access_changed')`,
      ),
    )
  })
})

test('a cursor does not tell the id or the time of the entry at which its page ended', async () => {
  const read = async () => (await developer.get(`/v1/logs/audit?event_type=${EVENT}`)).body.nextCursor
  const cursor = await read()
  const [last] = await ctx.db<{ id: string; timestamp: Date }[]>`
    select id, timestamp from audit_entries where event_type = ${EVENT}
    order by timestamp desc, id desc offset ${LOOKED_AT - 1} limit 1`
  const content = Buffer.from(cursor, 'base64url').toString('latin1')
  expect(content).not.toContain(String(last?.id))
  expect(content).not.toContain(String(last?.timestamp.toISOString()))
  expect(await read()).toBe(cursor)
})

test('no more entries are read for a page, whatever its filter and its caller', async () => {
  const explained = await explainedDatabase(ctx.database.config)
  const filters: EntryFilter[] = [
    {},
    { outcome: 'done' },
    { eventType: EVENT },
    { eventType: EVENT, outcome: 'refused' },
    { eventType: EVENT, resourceType: 'member' },
    { resourceType: 'environment', outcome: 'refused' },
    { resourceId: environment, actorType: 'user' },
    { environmentId: environment },
    { environmentId: environment, outcome: 'refused' },
    { appId: app, resourceType: 'member', actorId: actor },
  ]
  const callers: ReturnType<typeof visibilityFor>[] = [null, { grantsOf: developer.id, ids: [] }]
  for (const filter of filters) {
    for (const caller of callers) {
      explained.looks()
      await list(explained.db, organisationId, filter, caller, { limit: 50, after: null })
      const read = Math.max(...explained.looks().map(({ rows }) => rows))
      // An index without the filter has the newest ones of other kinds, too.
      expect({ filter, caller, isBounded: read <= LOOKED_AT + 10 }).toEqual({
        filter,
        caller,
        isBounded: true,
      })
    }
  }
  await explained.end()
}, 60_000)
