import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Count } from './kv.ts'

/** Goes before every key and channel, since the Redis may be shared. */
export const KEY_PREFIX = 'keyward:'

/**
 * KEYS[1] counter, ARGV[1] window in seconds. One script, so that nothing comes between; SET goes first,
 * so that a counter without an expiry cannot come to be even when a later line fails.
 */
export const INCREMENT_SCRIPT = `redis.call('SET', KEYS[1], 0, 'EX', ARGV[1], 'NX')
return { redis.call('INCR', KEYS[1]), redis.call('PTTL', KEYS[1]) }`

/** A command of Redis that we send. */
export type RedisOperation = 'EVAL' | 'PUBLISH' | 'PING'

/** What a span of a command says: never its key, which may hold a caller's network. */
export const redisAttributes = (operation: RedisOperation) => ({
  'db.system.name': 'redis',
  'db.operation.name': operation,
})

/** Reads the script's answer, [count, milliseconds left]; throws when it is something else. */
export function readCount(reply: unknown): Count {
  const [count, leftMs] = Array.isArray(reply) ? reply : []
  if (typeof count !== 'number' || typeof leftMs !== 'number') {
    throw new Error('The key-value store answered an increment with something other than two numbers.')
  }
  return { count, resetSeconds: Math.max(1, Math.ceil(leftMs / 1000)) }
}

/** The store did not respond in time. */
export class TimeoutError extends Error {
  override name = 'TimeoutError'
}

/** The answer, or a rejection with TimeoutError after `ms`; a later rejection of `answer` is of no consequence. */
export async function withTimeout<T>(ms: number, answer: Promise<T>): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new TimeoutError()), ms)
  try {
    return await Promise.race([answer, silence])
  } finally {
    clearTimeout(timer)
  }
}

/** Turns the failures of an outage into one warning a minute, and its end into one line. */
export type OutageLog = { failed(error: unknown): void; succeeded(): void }

/** Logs an error's name and code but never its message, which may hold an address, a password or a key. */
export function outageLog(store: string, clock: Clock, log: Log): OutageLog {
  let warnedAt = Number.NEGATIVE_INFINITY
  let warned = false
  return {
    failed(error) {
      const now = clock.now().getTime()
      if (now - warnedAt < 60_000) return
      warnedAt = now
      warned = true
      log.warn(
        { reason: reasonOf(error) },
        `${store} does not respond. Until it does, /v1 rate limits are off and the worker polls. ` +
          'Check its address and its credentials.',
      )
    },
    succeeded() {
      if (warned) log.info(`${store} responds again`)
      warned = false
    },
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const name = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  // Redis begins its errors with a word of capitals (OOM, NOPERM, READONLY), the only part that is safe.
  const word = /^[A-Z]{3,}\b/.exec(error.message)?.[0]
  return word === undefined ? name : `${name} ${word}`
}
