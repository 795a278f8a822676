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

/** Runs as many transactions at once as the pool has connections, and gives what points to a large thing of each. */
async function transactions(end: 'commit' | 'rollback'): Promise<WeakRef<object>[]> {
  const things: WeakRef<object>[] = []
  const change = (large: { text: string }) => {
    things.push(new WeakRef(large))
    return async (tx: Transaction) => {
      await tx`select pg_sleep(0.05)`
      if (end === 'rollback') throw new Error(`rolled back with ${large.text.length} characters`)
      return large
    }
  }
  const all = Array.from({ length: db.options.max }, (_, n) =>
    db.beginWithin(5000, change({ text: `${n}`.repeat(1000) })),
  )
  const results = await Promise.allSettled(all)
  const status = end === 'commit' ? 'fulfilled' : 'rejected'
  expect(results.map((result) => result.status)).toEqual(all.map(() => status))
  return things
}

test.each(['commit', 'rollback'] as const)(
  'connections keep nothing of a transaction after its %s',
  async (end) => {
    const things = await transactions(end)
    const kept = () => things.filter((thing) => thing.deref() !== undefined).length
    for (let attempt = 0; attempt < 20 && kept() > 2; attempt++) {
      await Bun.sleep(20)
      Bun.gc(true)
    }
    // The collector may take what is left on the stack for a reference.
    expect(kept()).toBeLessThanOrEqual(2)
  },
)
