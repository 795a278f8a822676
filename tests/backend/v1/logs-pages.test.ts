import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { EntryFilter, EntryVisibility } from '../../../src/core/audit/entry.ts'
import { list, PAGE_BYTES } from '../../../src/core/audit/entry-queries.ts'
import { api } from '../../support/api.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { member, owner, type Person } from '../../support/people.ts'

type Page = { data: { id: string; oldValues: unknown; newValues: unknown }[]; nextCursor: string | null }

let ctx: TestContext
let service: ReturnType<typeof api>
let ada: Person & { organisationId: string }
let developer: Person

beforeAll(async () => {
  ctx = await testContext()
  service = api(ctx, '192.0.2.7')
  ada = await owner(ctx)
  developer = await member(ctx, 'developer')
  await manyChangesOfAccess(200)
})
afterAll(() => ctx.close())

/** Entries that are as large as a change of access can be, several in each instant. */
const manyChangesOfAccess = (count: number) => ctx.db`
  insert into audit_entries (id, organisation_id, event_type, resource_type, resource_id, actor_type, actor_id,
    actor_metadata, resource_metadata, old_values, new_values, description, timestamp)
  select gen_random_uuid(), ${ada.organisationId}, 'member.access_changed', 'member', ${developer.id}, 'user', ${ada.id},
    '{"name": "Ada Example"}', '{}', json_build_object('revoked', ids, 'total', 5529),
    json_build_object('granted', ids, 'total', 5529), 'Access changed.',
    ${ctx.clock.now()}::timestamptz - (n / 7) * interval '1 second'
  from generate_series(1, ${count}) as n,
    (select json_agg(gen_random_uuid()) as ids from generate_series(1, 1000)) as each`

async function pagesOf(token: string, query: string): Promise<Page[]> {
  const pages: Page[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const path: string = `/v1/logs/audit?${query}${cursor && `&cursor=${cursor}`}`
    const page: Page = (await service.as(token).get(path)).body
    pages.push(page)
    cursor = page.nextCursor
  }
  return pages
}

const idsOf = (pages: Page[]) => pages.flatMap(({ data }) => data.map(({ id }) => id))
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

const newestFirst = async (): Promise<string[]> => {
  const rows = await ctx.db<{ id: string }[]>`
    select id from audit_entries where event_type = 'member.access_changed' order by timestamp desc, id desc`
  return rows.map(({ id }) => id)
}

describe('pages of large entries', () => {
  test('end before a mebibyte, and together are the whole, in order', async () => {
    const pages = await pagesOf(ada.token, 'event_type=member.access_changed&limit=200')
    expect(pages.length).toBeGreaterThan(10)
    for (const page of pages) expect(bytesOf(page)).toBeLessThan(PAGE_BYTES)
    for (const { data } of pages.slice(0, -1)) expect(bytesOf(data)).toBeGreaterThan(PAGE_BYTES / 2)
    expect(idsOf(pages)).toEqual(await newestFirst())
    expect(pages[0]?.data[0]?.newValues).toMatchObject({ granted: expect.any(Array), total: 5529 })
  })

  test('are small for a caller that may not see the large values', async () => {
    const pages = await pagesOf(developer.token, 'event_type=member.access_changed&limit=150')
    expect(pages.map(({ data }) => data.length)).toEqual([150, 50])
    expect(idsOf(pages)).toEqual(await newestFirst())
    for (const { oldValues, newValues } of pages.flatMap(({ data }) => data)) {
      expect([oldValues, newValues]).toEqual([null, null])
    }
  })

  test('keep the limit that was asked for where it is the smaller one', async () => {
    const pages = await pagesOf(ada.token, 'event_type=member.access_changed&limit=3')
    expect(new Set(pages.slice(0, -1).map(({ data }) => data.length))).toEqual(new Set([3]))
    expect(idsOf(pages)).toEqual(await newestFirst())
  })

  test('hold an entry even when it alone is larger than a page', async () => {
    const huge = await Promise.all([entry({ name: 'x'.repeat(PAGE_BYTES) }), entry({ name: 'y' }), entry({})])
    const pages = await pagesOf(ada.token, 'resource_type=huge')
    expect(idsOf(pages)).toEqual(huge.sort().reverse())
  })

  test('count what JSON makes longer, such as quotes', async () => {
    const user_agent = '"\\'.repeat(4000)
    await Promise.all(Array.from({ length: 120 }, () => entry({}, { resource_type: 'quotes', user_agent })))
    const pages = await pagesOf(ada.token, 'resource_type=quotes&limit=200')
    expect(pages.length).toBeGreaterThan(1)
    for (const page of pages) expect(bytesOf(page)).toBeLessThan(PAGE_BYTES)
  })
})

describe('what is read of an entry', () => {
  const rowsFor = (viewer: EntryVisibility, filter: EntryFilter) =>
    list(ctx.db, ada.organisationId, filter, viewer, { limit: 200, after: null })
  const changes = { eventType: 'member.access_changed' }
  const theDeveloper = () => ({ grantsOf: developer.id, ids: [developer.id, developer.userId] })

  test('is, without global access, nothing of what a change of access named', async () => {
    const rows = await rowsFor(theDeveloper(), changes)
    expect(rows).toHaveLength(200)
    for (const row of rows) expect([row.old_values, row.new_values]).toEqual([null, null])
  })

  test('is, without global access, nothing of where others called from', async () => {
    await entry({}, { ip_address: '198.51.100.1', user_agent: 'curl/8', resource_type: 'origin' })
    const rows = await rowsFor(theDeveloper(), { resourceType: 'origin' })
    expect(rows).toMatchObject([{ ip_address: null, user_agent: null }])
  })

  test('is never more than a page holds', async () => {
    const rows = await rowsFor(null, changes)
    expect(bytesOf(rows)).toBeLessThan(PAGE_BYTES)
    expect(rows.length).toBeLessThan(200)
  })
})

async function entry(newValues: object, values: Record<string, unknown> = {}): Promise<string> {
  const id = randomUUID()
  const row = {
    id,
    organisation_id: ada.organisationId,
    event_type: 'thing.changed',
    resource_type: 'huge',
    actor_type: 'user',
    actor_id: ada.id,
    actor_metadata: ctx.db.json({}),
    resource_metadata: ctx.db.json({}),
    new_values: ctx.db.json(newValues as never),
    description: 'Thing changed.',
    timestamp: ctx.clock.now(),
    ...values,
  }
  await ctx.db`insert into audit_entries ${ctx.db(row)}`
  return id
}
