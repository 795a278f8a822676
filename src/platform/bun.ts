import { bunArgon2id } from './argon2id-bun.ts'
import { systemClock } from './clock.ts'
import { bunServe } from './http/serve-bun.ts'
import { openRedisKv } from './kv/redis.ts'
import { createLog } from './log.ts'
import type { Runtime } from './runtime.ts'

/** Everything on Bun. */
export const bun: Runtime = {
  clock: systemClock,
  argon2id: bunArgon2id,
  serve: bunServe,
  openRedis: openRedisKv,
  createLog,
  adapter: null,
}
