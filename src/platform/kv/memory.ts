import type { Clock } from '../clock.ts'
import type { Kv } from './kv.ts'

const MAX_COUNTERS = 100_000
const SWEEP_EVERY_MS = 10_000

/**
 * A store inside this process: other processes neither see its counters nor hear its wake-ups.
 * Holds at most `maxCounters`; beyond that the oldest window is forgotten first.
 */
export function openMemoryKv(clock: Clock, maxCounters = MAX_COUNTERS): Kv {
  const counters = boundedCounters(maxCounters)
  const channels = new Map<string, Set<() => void>>()

  return {
    increment: async (key, windowSeconds) => counters.increment(key, windowSeconds, clock.now().getTime()),
    publish: async (channel) => {
      for (const onMessage of channels.get(channel) ?? []) queueMicrotask(onMessage)
    },
    subscribe: async (channel, onMessage) => {
      // A wrapper of its own, so that one function subscribed twice is called twice and undone one by one.
      const listener = () => onMessage()
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(listener))
      return async () => {
        listeners.delete(listener)
      }
    },
    ping: async () => true,
    close: async () => channels.clear(),
  }
}

function boundedCounters(max: number) {
  // A Map keeps insertion order, so its first entry is always the oldest window.
  const counters = new Map<string, { count: number; endsAt: number }>()
  let sweptAt = Number.NEGATIVE_INFINITY

  function sweep(now: number) {
    // Not on every call: sweeping a full store on every request would allow a denial of service.
    if (Math.abs(now - sweptAt) < SWEEP_EVERY_MS) return
    sweptAt = now
    for (const [key, counter] of counters) if (counter.endsAt <= now) counters.delete(key)
  }

  function start(key: string, endsAt: number) {
    counters.delete(key)
    const oldest = counters.size >= max ? counters.keys().next().value : undefined
    if (oldest !== undefined) counters.delete(oldest)
    const counter = { count: 0, endsAt }
    counters.set(key, counter)
    return counter
  }

  return {
    increment(key: string, windowSeconds: number, now: number) {
      sweep(now)
      const last = now + windowSeconds * 1000
      const running = counters.get(key)
      // One that ends after that was begun before the clock was set back.
      const isRunning = running !== undefined && running.endsAt > now && running.endsAt <= last
      const counter = isRunning ? running : start(key, last)
      counter.count += 1
      return { count: counter.count, resetSeconds: Math.ceil((counter.endsAt - now) / 1000) }
    },
  }
}
