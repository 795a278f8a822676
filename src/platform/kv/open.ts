import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { OpenRedis } from '../runtime.ts'
import type { Kv, KvConfig } from './kv.ts'
import { openMemoryKv } from './memory.ts'
import { openUpstashKv } from './upstash.ts'

/**
 * Opens the store. Never waits: connections are made in the background or on first use.
 * Calls wait at most `timeoutMs` for an answer (and as long for the very first connection); an outage
 * logs one warning a minute, without the address. Throws a sentence for a Redis where the runtime has no client for it.
 */
export function openKv(
  config: KvConfig,
  clock: Clock,
  log: Log,
  options: { openRedis: OpenRedis | null; timeoutMs?: number | undefined },
): Kv {
  const { openRedis, timeoutMs = 250 } = options
  switch (config.kind) {
    case 'memory':
      return openMemoryKv(clock)
    case 'redis':
      if (openRedis !== null) return openRedis(config, clock, log, timeoutMs)
      throw new Error(
        'REDIS_URL and REDIS_HOST need Bun: set UPSTASH_REDIS_REST_URL here, or none of them where a single process runs.',
      )
    case 'upstash':
      return openUpstashKv(config, clock, log, timeoutMs)
  }
}
