import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Actor } from '../../../src/core/actor.ts'
import { noteRead, type ReadEvent } from '../../../src/core/audit/reads.ts'
import { createFairLimiter } from '../../../src/platform/limiter.ts'
import { app } from '../../support/apps.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { owner, ownerActor } from '../../support/people.ts'

let ctx: TestContext
let ada: Actor
let event: ReadEvent

beforeAll(async () => {
  ctx = await testContext()
  ada = ownerActor(await owner(ctx))
  const { id, environments } = await app(ctx)
  const environmentId = environments[0]?.id ?? ''
  event = {
    eventType: 'secret.read',
    resourceId: environmentId,
    appId: id,
    environmentId,
    newValues: { secrets: [], total: 0 },
    description: 'Secrets read.',
    digest: 'x',
  } as unknown as ReadEvent
})
afterAll(() => ctx.close())

/** Another client of the same caller: its reads have an entry of their own. */
const client = (): Actor => ({
  ...ada,
  credential: { ...ada.credential, id: randomUUID() },
  source: { ...ada.source, userAgent: randomUUID() },
})

/** With one turn to read. */
const narrow = () => ({
  ...ctx,
  limitReads: createFairLimiter({
    concurrency: 1,
    concurrencyEach: 1,
    queueEach: 10,
    waitMilliseconds: 1000,
  }),
})

const countsOf = async ({ source }: Actor): Promise<number[]> =>
  (
    await ctx.db<{ count: number }[]>`
      select count from audit_entries where event_type = 'secret.read' and user_agent = ${source.userAgent}`
  ).map(({ count }) => count)

test('a read that has a turn does not wait for the note of one that waits for a turn', async () => {
  const shared = narrow()
  const actor = client()
  const endTurn = await shared.limitReads.enter('ada')
  const fromMemory = noteRead(shared, actor, event, { turnOf: 'ada' })
  await noteRead(shared, actor, event)
  endTurn()
  await fromMemory
  await ctx.repeats.flush()
  expect(await countsOf(actor)).toEqual([2])
})

test('a read that is in the audit log is noted again without a turn', async () => {
  const shared = narrow()
  const actor = client()
  await noteRead(shared, actor, event)
  const endTurn = await shared.limitReads.enter('ada')
  await noteRead(shared, actor, event, { turnOf: 'ada' })
  endTurn()
  await ctx.repeats.flush()
  expect(await countsOf(actor)).toEqual([2])
})
