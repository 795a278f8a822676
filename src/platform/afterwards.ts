import type { Log } from './log.ts'
import { errorKind } from './tracing.ts'

/** Work that goes on when its request has been answered. */
export type Afterwards = Readonly<{
  /** Lets work go on. It should handle its own errors: of one that is left, only its kind is logged. */
  add(work: Promise<unknown>): void
  /** Resolves when no such work is left. Never rejects. */
  settled(): Promise<void>
}>

/** Keeps count of the work that no answer waits for, so that whoever closes the stores can wait for it. */
export function createAfterwards(log: Log): Afterwards {
  const underWay = new Set<Promise<unknown>>()
  return {
    add: (work) => {
      const done = work
        .catch((error: unknown) => log.error({ cause: errorKind(error) }, 'Work after an answer failed'))
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
