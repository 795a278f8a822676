/** How often something has happened in the running window, and after how many seconds (≥ 1) that is forgotten. */
export type Count = { count: number; resetSeconds: number }

/**
 * Counters and wake-ups that may be lost at any moment: nothing that decides access may be kept here.
 * No method throws or hangs when the store is down; it reconnects by itself.
 */
export type Kv = {
  /**
   * Adds one to a counter. The first addition starts its window, later ones do not prolong it.
   * `windowSeconds` is a whole number. Null when the store does not answer: let the request through.
   */
  increment(key: string, windowSeconds: number): Promise<Count | null>

  /** Wakes the subscribers of a channel, wherever they run. Best effort. */
  publish(channel: string): Promise<void>

  /**
   * Calls `onMessage` (which must not throw) when the channel is woken, and once after an outage, since
   * messages may have been missed. Returns its own undoing. Best effort, so keep polling: Upstash's REST
   * protocol has no subscriptions, there it is never called.
   */
  subscribe(channel: string, onMessage: () => void): Promise<() => Promise<void>>

  /** Whether the store answers now. */
  ping(): Promise<boolean>

  /** Ends connections; may be called twice. Later increments may answer null. */
  close(): Promise<void>
}

/** Where a Redis is; `ca` is a PEM certificate for `rediss://`, or null for the system's own. */
export type RedisAddress = { url: string; ca: string | null }

/** Where the store is. */
export type KvConfig =
  | { kind: 'memory' }
  | ({ kind: 'redis' } & RedisAddress)
  | { kind: 'upstash'; url: string; token: string }
