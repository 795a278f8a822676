import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestContext, testContext } from './context.ts'
import { countStatements, statementsOf } from './statements.ts'

let ctx: TestContext

beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx.close())

test('counts every statement of the pool, over new connections and old ones alike', async () => {
  const five = () => Promise.all([1, 2, 3, 4, 5].map((n) => ctx.db`select ${n}::int`))
  expect(await countStatements(ctx, five)).toBe(5)
  expect(await countStatements(ctx, five)).toBe(5)
  expect(await countStatements(ctx, async () => {})).toBe(0)
})

test('counts what a transaction sends, its begin and commit among it, in order', async () => {
  const statements = await statementsOf(ctx, () =>
    ctx.db.begin(async (tx) => {
      await tx`select 1`
      await tx`select 2`
    }),
  )
  expect(statements.map((text) => text.trim())).toEqual(['begin', 'select 1', 'select 2', 'commit'])
})

test('leaves the pool as it was, also when the work fails', async () => {
  const failing = () => Promise.reject(new Error('the work failed'))
  await expect(countStatements(ctx, failing)).rejects.toThrow('the work failed')
  expect(ctx.db.options.debug).toBe(false)
})
