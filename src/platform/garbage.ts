/** The process may take so much of its memory before garbage is collected early. */
const FULL = 0.65

/** It is not collected again before so much more of the memory is taken. */
const STEP = 0.04

const CHECK_MS = 50

/** For so many times as long as it took, it is not collected again. */
const REST = 4

/**
 * Collects garbage early when the process nears `limit`, the bytes that its container may use: the runtime alone waits until
 * there is about as much garbage as there is in use, for which there may be no room then. Gives what ends that.
 */
export function collectGarbageEarly(limit = process.constrainedMemory()): () => void {
  let least = Infinity
  let restUntil = 0
  const timer = setInterval(() => {
    const start = performance.now()
    const used = process.memoryUsage.rss()
    least = Math.min(least, used)
    if (used < FULL * limit || used < least + STEP * limit || start < restUntil) return
    Bun.gc(true)
    const end = performance.now()
    restUntil = end + REST * (end - start)
    least = process.memoryUsage.rss()
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}
