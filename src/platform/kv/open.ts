import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Kv, KvConfig } from './kv.ts'
import { openMemoryKv } from './memory.ts'
import { openRedisKv } from './redis.ts'
import { openUpstashKv } from './upstash.ts'

/**
 * Opens the store. Never waits: connections are made in the background or on first use.
 * Calls wait at most `timeoutMs` for an answer (and as long for the very first connection); an outage
 * logs one warning a minute, without the address.
 */
export function openKv(config: KvConfig, clock: Clock, log: Log, timeoutMs = 250): Kv {
  switch (config.kind) {
    case 'memory':
      return openMemoryKv(clock)
    case 'redis':
      return openRedisKv(config, clock, log, timeoutMs)
    case 'upstash':
      return openUpstashKv(config, clock, log, timeoutMs)
  }
}
