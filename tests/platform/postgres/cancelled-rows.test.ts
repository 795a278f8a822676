import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { type TestDatabase, testDatabase } from '../../support/database.ts'

let database: TestDatabase
let db: Database

beforeAll(async () => {
  database = await testDatabase()
  db = openDatabase(database.config, { max: 1 })
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

test('a statement that fails in the middle of its rows leaves nothing to the next one of its connection', async () => {
  const failing = db`select 1 / (3 - n) as n from generate_series(1, 5) n`
  await expect(Promise.resolve(failing)).rejects.toThrow('division by zero')
  expect([...(await db`select 7 as n`)]).toEqual([{ n: 7 }])
})
