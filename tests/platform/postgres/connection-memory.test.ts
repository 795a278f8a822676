import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Database, openDatabase, type Transaction } from '../../../src/platform/postgres/database.ts'
import { type TestDatabase, testDatabase } from '../../support/database.ts'

let database: TestDatabase
let db: Database

beforeAll(async () => {
  database = await testDatabase()
  db = openDatabase(database.config)
})
afterAll(async () => {
  await db.end({ timeout: 1 })
  await database.drop()
})

/** Runs as many transactions at once as the pool has connections, and gives a weak reference to the object that each uses. */
async function transactions(end: 'commit' | 'rollback'): Promise<WeakRef<object>[]> {
  const used: WeakRef<object>[] = []
  const change = (object: { text: string }) => {
    used.push(new WeakRef(object))
    return async (tx: Transaction) => {
      await tx`select pg_sleep(0.05)`
      if (end === 'rollback') throw new Error(`rolled back with ${object.text.length} characters`)
      return object
    }
  }
  const all = Array.from({ length: db.options.max }, (_, n) =>
    db.beginWithin(5000, change({ text: `${n}`.repeat(1000) })),
  )
  const results = await Promise.allSettled(all)
  const status = end === 'commit' ? 'fulfilled' : 'rejected'
  expect(results.map((result) => result.status)).toEqual(all.map(() => status))
  return used
}

test.each(['commit', 'rollback'] as const)(
  'connections keep nothing of a transaction after its %s',
  async (end) => {
    const used = await transactions(end)
    const kept = () => used.filter((reference) => reference.deref() !== undefined).length
    for (let attempt = 0; attempt < 20 && kept() > 2; attempt++) {
      await Bun.sleep(20)
      Bun.gc(true)
    }
    // The collector may take what is left on the stack for a reference.
    expect(kept()).toBeLessThanOrEqual(2)
  },
)
