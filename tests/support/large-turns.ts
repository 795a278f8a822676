import { expect, spyOn } from 'bun:test'
import type { Answer } from './api.ts'
import type { TestContext } from './context.ts'

/** Takes all turns of large answers, once they are free; gives what ends them. */
export async function takeAllTurns(ctx: TestContext): Promise<() => void> {
  const ends = await Promise.all(['a', 'b'].map((caller) => ctx.limitLargeReads.enter(caller)))
  return () => {
    for (const end of ends) end()
  }
}

/** The answer to a read that has to wait until others have ended their large ones; something else is done meanwhile. */
export async function waitsForTurn(
  ctx: TestContext,
  read: () => Promise<Answer>,
  meanwhile = async () => {},
): Promise<Answer> {
  const endTurns = await takeAllTurns(ctx)
  const waits = nextToWait(ctx)
  const reading = read()
  await meanwhile()
  expect(await Promise.race([reading.then(() => 'read'), waits.then(() => 'waits')])).toBe('waits')
  endTurns()
  return await reading
}

/** Resolves once a read waits for its turn among the large ones. */
export function nextToWait(ctx: TestContext): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { enter } = ctx.limitLargeReads
  const spied = spyOn(ctx.limitLargeReads, 'enter').mockImplementation((caller) => {
    spied.mockRestore()
    resolve()
    return enter(caller)
  })
  return promise
}
