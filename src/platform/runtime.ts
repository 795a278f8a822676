import type { ElysiaAdapter } from 'elysia/adapter'
import type { Argon2id } from './argon2id.ts'
import type { Clock } from './clock.ts'
import type { Serve } from './http/server.ts'
import type { Kv, RedisAddress } from './kv/kv.ts'
import type { Log, LogLevel } from './log.ts'

/** What a context takes from the runtime that it is made on. Chosen by the entry; nothing else asks where it runs. */
export type Ports = Readonly<{
  clock: Clock
  argon2id: Argon2id
  /** Opens a Redis by its own protocol; null where the runtime has no client for it. */
  openRedis: OpenRedis | null
  createLog(level: LogLevel): Log
}>

/** Never waits: it connects in the background. Calls wait at most `timeoutMs` for an answer. */
export type OpenRedis = (address: RedisAddress, clock: Clock, log: Log, timeoutMs: number) => Kv

/** A runtime with processes, which listen on ports of their own. */
export type Runtime = Ports &
  Readonly<{
    serve: Serve
    /** How the router makes its answers; null for what Elysia chooses by itself. */
    adapter: ElysiaAdapter | null
  }>
