/** How long work goes on between two yields to the event loop. */
const SLICE_MILLISECONDS = 5

/** So many steps are a slice where the clock stands still while work goes on, as on Cloudflare. */
const STEPS_OF_A_SLICE = 500

/** Work that has not asked for its next slice for so long will never do so: its request has ended. */
const DEAD_MILLISECONDS = 100

/**
 * For a loop of long work, called after each step: yields to the event loop where a slice of time has passed since it
 * last did. Of all such work, one slice runs in each turn of the event loop: others, who may need many turns, wait for one
 * slice in each and not for as many as there are loops.
 */
export function yieldWhenDue(): () => Promise<void> | undefined {
  const start = performance.now()
  let done = 0
  return () => {
    done++
    // A slice may have several such loops, one within the other.
    const since = Math.max(start, sliceBegan)
    if (done < STEPS_OF_A_SLICE && performance.now() - since < SLICE_MILLISECONDS) return
    done = 0
    return nextSlice()
  }
}

/** Those that wait for their next slice, in their order. Each asks by itself: on some runtimes no request may wake another. */
const waiting: { askedAt: number }[] = []
let slices = 0
let sliceBegan = 0

async function nextSlice(): Promise<void> {
  const own = { askedAt: performance.now() }
  waiting.push(own)
  let before: number
  do {
    before = slices
    await yieldToEventLoop()
    own.askedAt = performance.now()
    while (waiting[0] !== undefined && own.askedAt - waiting[0].askedAt > DEAD_MILLISECONDS) waiting.shift()
  } while (waiting.includes(own) && (slices !== before || waiting[0] !== own))
  if (waiting[0] === own) waiting.shift()
  slices++
  sliceBegan = performance.now()
}

/** Lets the event loop serve others first. Browsers have no `setImmediate`. */
export const yieldToEventLoop = () =>
  new Promise<void>((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve))
