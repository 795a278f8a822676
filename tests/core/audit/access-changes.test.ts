import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { EntryFilter } from '../../../src/core/audit/entry.ts'
import * as log from '../../../src/core/audit/entry-queries.ts'
import type { PageRange } from '../../../src/core/pagination.ts'
import { databaseToMigrate, type TestDatabase } from '../../support/database.ts'
import { explainedDatabase } from '../../support/plans.ts'

/*
 * Whoever may change access can write any number of entries that name one environment: a page about it reads as much as
 * without them.
 */

const MANY = 12_000
const MOST = 2000
const [organisationId, actorId, otherId] = [randomUUID(), randomUUID(), randomUUID()]
/** Environments that all entries of a member, every hundredth one and every hundredth one of a service account name. */
const [often, seldom, ofAccounts] = [randomUUID(), randomUUID(), randomUUID()]
const start = new Date('2026-01-01T00:00:00Z')

let database: TestDatabase
let explained: Awaited<ReturnType<typeof explainedDatabase>>

// Half of them are there before the migration that counts.
beforeAll(async () => {
  const releases = await databaseToMigrate()
  database = releases.database
  await releases.apply(25)
  await releases.addOrganisation(organisationId)
  await write(1, MANY / 2)
  await releases.apply()
  await write(MANY / 2 + 1, MANY)
  explained = await explainedDatabase(database.config)
}, 60_000)
afterAll(async () => {
  await explained.end()
  await database.drop()
})

/** An entry a second. Some name an environment twice, or what is no id: such as no release has written. */
const write = (from: number, to: number) => database.db`
  insert into audit_entries (id, organisation_id, event_type, resource_type, resource_id, actor_type, actor_id,
    actor_metadata, resource_metadata, old_values, new_values, description, timestamp)
  select gen_random_uuid(), ${organisationId}, type || '.access_changed', type, ${otherId}, 'user', ${actorId}, '{}', '{}',
    json_build_object('revoked', json_build_array('nonsense')),
    json_build_object('granted', case when type = 'service_account' then json_build_array(${ofAccounts}::text)
      when n % 100 = 0 then json_build_array(${often}::text, ${seldom}::text, ${often}::text)
      else json_build_array(${often}::text) end),
    'Access changed.', ${start}::timestamptz + n * interval '1 second'
  from generate_series(${from}::int, ${to}::int) n,
    lateral (select case when n % 100 = 50 then 'service_account' else 'member' end as type) types`

const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)

/** The seconds of the entries of a page, and how many rows were read for it. */
async function page(filter: EntryFilter, range: PageRange = { limit: 3, after: null }) {
  explained.looks()
  const found = await log.list(explained.db, organisationId, filter, null, range)
  const rows = explained.looks().reduce((sum, look) => sum + look.rows, 0)
  return {
    seconds: found.map(({ timestamp }) => (timestamp.getTime() - start.getTime()) / 1000),
    rows: rows < MOST ? 'few' : rows,
  }
}
const few = (...seconds: number[]) => ({ seconds, rows: 'few' })
const after = (seconds: number) => ({
  limit: 3,
  after: [at(seconds).toISOString(), '00000000-0000-0000-0000-000000000000'],
})

test.each([
  ['without statistics', async () => {}],
  ['with statistics', async () => void (await database.db`vacuum analyze`)],
])(
  'a page about an environment that very many changes of access name reads a few of them, %s',
  async (_, prepare) => {
    await prepare()
    const about = { environmentId: often }
    expect(await page(about)).toEqual(few(12_000, 11_999, 11_998))
    expect(await page(about, after(6001))).toEqual(few(6000, 5999, 5998))
    expect(await page(about, after(3))).toEqual(few(2, 1))
    expect(await page({ ...about, from: at(500), to: at(502) })).toEqual(few(501, 500))
    expect(await page({ ...about, to: at(1000), resourceType: 'member' })).toEqual(few(999, 998, 997))
    expect(await page({ ...about, outcome: 'refused' })).toEqual(few())
    expect(await page({ ...about, eventType: 'environment.updated' })).toEqual(few())
    expect(await page({ ...about, resourceType: 'environment' })).toEqual(few())
    expect(await page({ environmentId: seldom.toUpperCase() })).toEqual(few(12_000, 11_900, 11_800))
    expect(await page({ environmentId: seldom }, after(301))).toEqual(few(300, 200, 100))
    expect(await page({ environmentId: ofAccounts }, after(150))).toEqual(few(50))
    expect(await page({ environmentId: randomUUID() })).toEqual(few())
  },
)

test('every other filter applies to changes of access', async () => {
  const seconds = async (filter: EntryFilter) => (await page(filter)).seconds
  const last = [11_950, 11_850, 11_750]
  for (const [filter, found] of [
    [{ eventType: 'service_account.access_changed', outcome: 'done' }, last],
    [{ resourceType: 'service_account', resourceId: otherId.toUpperCase() }, last],
    [{ actorId, actorType: 'user' }, last],
    [{ actorType: 'user' }, last],
    [{ eventType: 'member.access_changed' }, []],
    [{ resourceType: 'member' }, []],
    [{ resourceId: actorId }, []],
    [{ actorId: otherId }, []],
    [{ actorType: 'service_account' }, []],
  ] as const) {
    expect([filter, await seconds({ ...filter, environmentId: ofAccounts })]).toEqual([filter, [...found]])
  }
})
