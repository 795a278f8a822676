import { closeSync, openSync, readSync } from 'node:fs'

/** Garbage is collected early once the process takes this part of the limit. */
const FULL = 0.65

/** It is collected again once the process takes this part of the limit more. */
const STEP = 0.04

const CHECK_MS = 50

/** After each collection, none begins for so many times as long as it took. */
const REST = 4

/**
 * Collects garbage early when the process nears `limit`, the bytes that its container may use: the runtime alone waits until
 * there is about as much garbage as there is in use, for which there may be no room then. Gives what ends that.
 */
export function collectGarbageEarly(limit = process.constrainedMemory()): () => void {
  const memory = openMemoryReader()
  let least = Infinity
  let restUntil = 0
  const timer = setInterval(() => {
    const start = performance.now()
    const used = memory.bytes()
    least = Math.min(least, used)
    const isDue = used >= FULL * limit && used >= least + STEP * limit && start >= restUntil
    if (!isDue) return
    Bun.gc(true)
    const end = performance.now()
    restUntil = end + REST * (end - start)
    least = memory.bytes()
  }, CHECK_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    memory.close()
  }
}

/** Tells the bytes that this process takes. On Linux it keeps a file open: while all descriptors are in use, none can be opened. */
function openMemoryReader(): { bytes(): number; close(): void } {
  if (process.platform !== 'linux') return { bytes: () => process.memoryUsage.rss(), close: () => {} }
  const status = openSync('/proc/self/status', 'r')
  const text = Buffer.alloc(4096)
  return {
    bytes: () => {
      const length = readSync(status, text, 0, text.length, 0)
      return 1024 * Number(/^VmRSS:\s*(\d+) kB/m.exec(text.toString('latin1', 0, length))?.[1])
    },
    close: () => closeSync(status),
  }
}
