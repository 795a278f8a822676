import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/platform/postgres/database.ts'
import { readMigrations } from '../../src/platform/postgres/migrate.ts'
import { schemaStatus } from '../../src/platform/postgres/schema-status.ts'
import { emptyDatabase, testDatabase } from './database.ts'

test('two test databases are apart', async () => {
  const [one, two] = await Promise.all([testDatabase(), testDatabase()])
  await one.db`CREATE TABLE only_here (id int)`
  const tables = await two.db`SELECT 1 FROM pg_tables WHERE tablename = 'only_here'`
  expect(tables.length).toBe(0)
  await Promise.all([one.drop(), two.drop()])
})

test('a test database is UTF8 with the C.UTF-8 locale', async () => {
  const { db, drop } = await testDatabase()
  const [row] = await db`SELECT getdatabaseencoding() AS encoding, lower('É') AS lower`
  expect(row).toEqual({ encoding: 'UTF8', lower: 'é' })
  await drop()
})

test('a test database has the newest schema', async () => {
  const { db, drop } = await testDatabase()
  expect((await schemaStatus(db, await readMigrations())).state).toBe('ready')
  await drop()
})

test('an empty database has no tables, and the encoding that was asked for', async () => {
  const { db, drop } = await emptyDatabase({ encoding: 'LATIN1' })
  const [row] = await db`
    SELECT getdatabaseencoding() AS encoding,
      (SELECT count(*)::int FROM pg_tables WHERE schemaname = 'public') AS tables`
  expect(row).toEqual({ encoding: 'LATIN1', tables: 0 })
  await drop()
})

test('a dropped database is gone, even while somebody else is connected', async () => {
  const { config, drop } = await testDatabase()
  const other = openDatabase(config, { max: 1 })
  await other`SELECT 1`
  await drop()
  await expect(openDatabase(config, { max: 1 })`SELECT 1`.execute()).rejects.toMatchObject({ code: '3D000' })
  await other.end({ timeout: 0 })
})
