import { createFairLimiter, type FairLimiter, type FairLimiterOptions, type Turn } from './limiter.ts'
import type { Sharer } from './turn-queues.ts'

/** A fair limiter for each key, such as the id of what the work changes. */
export type KeyedLimiter = Readonly<{
  /** Runs the work in the caller's turn among those with the same key, as a fair limiter does. */
  run<T>(key: string, caller: Sharer, work: () => Promise<T>, turn?: Turn): Promise<T>
}>

/** Fair limiters with the same options, each of which exists while it is used. */
export function createKeyedLimiter(options: FairLimiterOptions): KeyedLimiter {
  const limiters = new Map<string, { limiter: FairLimiter; users: number }>()
  return {
    run: async (key, caller, work, turn) => {
      const line = limiters.get(key) ?? { limiter: createFairLimiter(options), users: 0 }
      limiters.set(key, line)
      line.users++
      try {
        return await line.limiter.run(caller, work, turn)
      } finally {
        line.users--
        if (line.users === 0) limiters.delete(key)
      }
    },
  }
}
