import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestContext, testContext } from '../../support/context.ts'
import { backendOn, cutConnections, proveStrictness } from '../../support/strictness.ts'

/** By hand, for the whole proof: STRICT_READS_ROUNDS=20000. */
const ROUNDS = Number(process.env.STRICT_READS_ROUNDS ?? 45)
const MILLISECONDS = 60_000 + ROUNDS * 1000

let ctx: TestContext
let backends: ReturnType<typeof backendOn>[]
beforeEach(async () => {
  ctx = await testContext()
  backends = []
})
afterEach(async () => {
  for (const backend of backends) await backend.close()
  await ctx.close()
})

test(
  'four backends behind a round robin show every change that was answered, in each later read',
  async () => {
    backends = [1, 2, 3, 4].map(() => backendOn(ctx))
    const report = await proveStrictness(ctx, backends, ROUNDS)
    expect(report).toMatchObject({ rounds: ROUNDS, unavailable: 0, stale: [] })
    expect(report.reads).toBeGreaterThan(ROUNDS)
  },
  MILLISECONDS,
)

test(
  'they do so while connections are cut',
  async () => {
    backends = [1, 2, 3, 4].map(() => backendOn(ctx))
    const report = await proveStrictness(ctx, backends, ROUNDS, async (round) => {
      if (round % 25 === 10) await cutConnections(ctx.database.aside)
    })
    expect(report).toMatchObject({ rounds: ROUNDS, stale: [] })
  },
  MILLISECONDS,
)

test(
  'they do so beside backends that know nothing of versions, as the release before',
  async () => {
    backends = [backendOn(ctx), backendOn(ctx, false), backendOn(ctx), backendOn(ctx, false)]
    expect(await proveStrictness(ctx, backends, ROUNDS)).toMatchObject({
      rounds: ROUNDS,
      unavailable: 0,
      stale: [],
    })
  },
  MILLISECONDS,
)
