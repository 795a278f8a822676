import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { databaseToMigrate, type TestDatabase } from '../../support/database.ts'

const organisationId = randomUUID()
const before: Record<string, string> = {}
const after: Record<string, string> = {}
let database: TestDatabase

// What the release before the third migration wrote: before it was applied, and beside its successor.
beforeAll(async () => {
  const releases = await databaseToMigrate()
  database = releases.database
  await releases.apply(2)
  await releases.addOrganisation(organisationId)
  await writeAll(before)
  await releases.apply(3)
  await writeAll(after)
})
afterAll(() => database.drop())

const ids = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `id-${10_000 + from + n}`)
const access = (...apps: string[][]) => ({
  apps: apps.map((environments, n) => ({ id: `app-${n}`, environments })),
})
const environmentId = randomUUID()

async function writeAll(made: Record<string, string>): Promise<void> {
  made.changed = await write('member.access_changed', access(['b', 'a'], ['c']), access(['a'], ['d'], ['c']))
  made.granted = await write('service_account.access_changed', access(), access(ids(5529)))
  made.exchanged = await write('member.access_changed', access(ids(1200)), access(ids(1200, 1150)))
  made.appCreated = await write('app.created', null, {
    name: 'Shop "1"',
    description: 'Line\nbreak',
    environments: ['QA', 'Live'],
  })
  made.appUpdated = await write('app.updated', { name: 'Shop' }, { name: 'Shop', environments: ['QA'] })
  made.roleCreated = await write('role.created', null, { name: 'x', apps: [] })
  const sentence = `You can't grant environment "${environmentId}": you have no access to it yourself.`
  made.refused = await write('member.update_refused', null, null, sentence)
  made.refusedOtherwise = await write('member.update_refused', null, null, 'You cannot change your own role.')
}

async function write(eventType: string, old: unknown, now: unknown, description = ''): Promise<string> {
  const { db } = database
  const row = {
    id: randomUUID(),
    organisation_id: organisationId,
    event_type: eventType,
    resource_type: 'thing',
    actor_type: 'user',
    actor_id: randomUUID(),
    actor_metadata: db.json({}),
    resource_metadata: db.json({}),
    old_values: old === null ? null : db.json(old as never),
    new_values: now === null ? null : db.json(now as never),
    description,
    timestamp: new Date(),
  }
  await db`insert into audit_entries ${db(row)}`
  return row.id
}

describe.each([
  ['before the migration', before],
  ['after it, by a replica of the release before', after],
] as const)('an entry in the former form, written %s', (_, made) => {
  const read = async (name: string) => {
    const [row] = await database.db`
      select old_values as old, new_values as new, environment_id from audit_entries where id = ${made[name] ?? ''}`
    return row
  }

  test('tells a change of access as its difference', async () => {
    expect(await read('changed')).toEqual({
      old: { revoked: ['b'], total: 1 },
      new: { granted: ['d'], total: 1 },
      environment_id: null,
    })
  })

  test('names at most 1,000 ids, and says how many there were', async () => {
    expect(await read('granted')).toMatchObject({
      old: { revoked: [], total: 0 },
      new: { granted: ids(1000), total: 5529 },
    })
    expect(await read('exchanged')).toMatchObject({
      old: { revoked: ids(1000), total: 1150 },
      new: { granted: ids(1000, 1200), total: 1150 },
    })
  })

  test('counts the environments of an app that was created, and keeps the rest', async () => {
    expect(await read('appCreated')).toEqual({
      old: null,
      new: { name: 'Shop "1"', description: 'Line\nbreak', environments: 2 },
      environment_id: null,
    })
  })

  test('belongs to the environment that could not be granted', async () => {
    expect(await read('refused')).toMatchObject({ environment_id: environmentId })
    expect(await read('refusedOtherwise')).toMatchObject({ environment_id: null })
  })

  test('stays as it is when it is about something else', async () => {
    expect(await read('appUpdated')).toMatchObject({ old: { name: 'Shop' }, new: { environments: ['QA'] } })
    expect(await read('roleCreated')).toMatchObject({ old: null, new: { name: 'x', apps: [] } })
  })
})

test('every index that a filter of the audit log needs exists', async () => {
  const rows = await database.db<{ definition: string }[]>`
    select indexdef as definition from pg_indexes where tablename = 'audit_entries'`
  const newestFirst = ['resource_type', 'resource_id', 'event_type', 'actor_id'].map(
    (column) => `(organisation_id, ${column}, "timestamp" DESC, id DESC)`,
  )
  for (const columns of [...newestFirst, '(organisation_id, "timestamp" DESC, id DESC)']) {
    expect(rows.filter(({ definition }) => definition.endsWith(columns))).toHaveLength(1)
  }
})
