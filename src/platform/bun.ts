import { bunArgon2id } from './argon2id-bun.ts'
import { bunServe } from './http/serve-bun.ts'
import { openRedisKv } from './kv/redis.ts'
import { createLog } from './log.ts'
import type { Runtime } from './runtime.ts'

/** Everything on Bun. */
export const bun: Runtime = {
  argon2id: bunArgon2id,
  serve: bunServe,
  openRedis: openRedisKv,
  createLog,
  adapter: null,
}
