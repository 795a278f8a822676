import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { emptyDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
let db: Database

beforeAll(async () => {
  database = await emptyDatabase()
  const [{ name } = { name: '' }] = await database.db`select current_database() as name`
  await database.db`alter database ${database.db(name)} set timezone to 'America/New_York'`
  await database.db`alter database ${database.db(name)} set datestyle to 'German'`
  db = openDatabase(database.config)
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

const iso = (year: number) => `${String(year).padStart(4, '0')}-06-15T12:30:15.250Z`
const years = Array.from({ length: 9999 }, (_, index) => index + 1)

test('times of all years are read as they were written, whatever zone and style the database has', async () => {
  const rows = await db<{ at: Date }[]>`
    select make_timestamptz(year, 6, 15, 12, 30, 15.25, 'UTC') as at from generate_series(1, 9999) as year order by 1`
  expect(rows.map(({ at }) => at.toISOString())).toEqual(years.map(iso))
  for (const year of [1, 29, 99, 100, 1800, 9999]) {
    const [row] = await db`select ${new Date(iso(year))}::timestamptz as at`
    expect(row?.at.toISOString()).toBe(iso(year))
  }
  const [row] = await db`select '0012-11-10'::date as day, null::timestamptz as never`
  expect([row?.day.toISOString(), row?.never]).toEqual(['0012-11-10T00:00:00.000Z', null])
})
