import { expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Context } from '../../src/context.ts'
import { lockingTransaction } from '../../src/core/transactions.ts'
import type { Database } from '../../src/platform/postgres/database.ts'
import { createChangeLimiter } from '../../src/platform/postgres/limiters.ts'
import { createUnreadAnswers } from '../../src/platform/unread-answers.ts'

/** The lines of changes, before a database in which nothing waits. */
function lines(transactionMilliseconds = 10_000) {
  const db = {
    options: { max: 10 },
    deadlines: { transactionMilliseconds },
    beginWithin: (_: number, work: (tx: unknown) => Promise<unknown>) => work({}),
  } as unknown as Database
  return { db, limitChanges: createChangeLimiter(db), unread: createUnreadAnswers() } as Context
}

const environmentId = randomUUID()

test('who keeps an environment while it waits for the organisation comes after those who do not', async () => {
  const ctx = lines()
  const done: string[] = []
  const rename = (name: string) =>
    lockingTransaction(ctx, { caller: 'a', environmentId, locksOrganisation: true }, async (_, locked) => {
      await Bun.sleep(20)
      locked()
      done.push(name)
    })
  const write = (name: string) =>
    lockingTransaction(ctx, { caller: 'b', environmentId }, async (_, locked) => {
      locked()
      await Bun.sleep(1)
      done.push(name)
    })
  await Promise.all([rename('a1'), rename('a2'), rename('a3'), write('b1'), write('b2'), write('b3')])
  expect(done).toEqual(['a1', 'b1', 'b2', 'b3', 'a2', 'a3'])
})

test('a change waits for all its turns together no longer than it may take', async () => {
  const ctx = lines(400)
  const { promise: others, resolve: endOthers } = Promise.withResolvers<void>()
  const block = (caller: string) => lockingTransaction(ctx, { caller }, () => others)
  const blocking = [
    lockingTransaction(ctx, { caller: 'a', environmentId }, () => Bun.sleep(300)),
    block('b'),
    block('c'),
  ]
  const rename = lockingTransaction(
    ctx,
    { caller: 'd', environmentId, locksOrganisation: true },
    async () => 'done',
  )
  const outcome = await Promise.race([
    rename.catch(({ name }: Error) => name),
    Bun.sleep(550).then(() => 'waits'),
  ])
  endOthers()
  await Promise.all(blocking)
  expect(outcome).toBe('Busy')
})
