import { Redis } from '@upstash/redis'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { traceCall } from '../tracing.ts'
import type { Kv } from './kv.ts'
import {
  INCREMENT_SCRIPT,
  KEY_PREFIX,
  outageLog,
  type RedisOperation,
  readCount,
  redisAttributes,
  withTimeout,
} from './remote.ts'

const REQUEST_TIMEOUT_MS = 2_000
const PAUSE_AFTER_FAILURE_MS = 1_000

/** A Redis behind Upstash's REST protocol, on any fetch runtime. Throws when `url` is not a web address. */
export function openUpstashKv(
  config: { url: string; token: string },
  clock: Clock,
  log: Log,
  timeoutMs: number,
): Kv {
  const redis = newClient(config)
  const outage = outageLog('Upstash', clock, log)
  let pausedUntil = 0

  async function ask<T>(operation: RedisOperation, command: () => Promise<T>): Promise<T | null> {
    // While it is silent, requests should not each wait for it.
    if (performance.now() < pausedUntil) return null
    try {
      const answer = await traceCall(operation, redisAttributes(operation), () =>
        withTimeout(timeoutMs, command()),
      )
      outage.succeeded()
      return answer
    } catch (error) {
      pausedUntil = performance.now() + PAUSE_AFTER_FAILURE_MS
      outage.failed(error)
      return null
    }
  }

  return {
    increment: (key, windowSeconds) =>
      ask('EVAL', async () =>
        readCount(await redis.eval(INCREMENT_SCRIPT, [KEY_PREFIX + key], [windowSeconds])),
      ),
    publish: async (channel) => {
      await ask('PUBLISH', () => redis.publish(KEY_PREFIX + channel, ''))
    },
    subscribe: async () => async () => {},
    ping: async () => (await ask('PING', () => redis.ping())) !== null,
    close: async () => {},
  }
}

function newClient({ url, token }: { url: string; token: string }) {
  return new Redis({
    url,
    token,
    // `retry: false` means one retry; an increment that is sent again counts twice.
    retry: { retries: 0 },
    // Longer than a caller waits: a first request may need that to make the connection that later ones use.
    signal: () => AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    readYourWrites: false,
    enableTelemetry: false,
  })
}
