/** How long work goes on between two yields to the event loop. */
const SLICE_MILLISECONDS = 5

/**
 * For a loop of long work, called after each step: yields to the event loop where a slice of time has passed since it
 * last did, or `steps` steps were done.
 */
export function yieldWhenDue(steps = Number.POSITIVE_INFINITY): () => Promise<void> | undefined {
  let since = performance.now()
  let done = 0
  return () => {
    done++
    if (done < steps && performance.now() - since < SLICE_MILLISECONDS) return
    return yieldToEventLoop().then(() => {
      since = performance.now()
      done = 0
    })
  }
}

/** Lets the event loop serve others first. Browsers have no `setImmediate`. */
export const yieldToEventLoop = () =>
  new Promise<void>((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve))
