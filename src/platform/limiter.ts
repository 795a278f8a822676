/** Limits how many run at once; the others wait in order. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>

/** Thrown when the queue is full or the wait timed out, before the work starts. */
export class TooBusyError extends Error {
  override readonly name: string = 'Busy'
  constructor(message = 'The server is busy. Try again in a second.') {
    super(message)
  }
}

export type LimiterOptions = {
  /** How many run at once. */
  concurrency: number
  /** How many wait beyond those that run. */
  queue: number
  /** How long each waits at most; without it there is no limit. */
  waitMilliseconds?: number
  /** Creates the error for work that can't wait, or waited too long. */
  busyError?: () => TooBusyError
}

/** A limiter of this process. Its work must not use the same limiter: it would wait for itself. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { concurrency, queue, waitMilliseconds, busyError = () => new TooBusyError() } = options
  let running = 0
  const waiting = new Set<() => void>()
  const waitForTurn = () =>
    new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const giveUp = () => {
        waiting.delete(start)
        reject(busyError())
      }
      const timer = waitMilliseconds === undefined ? undefined : setTimeout(giveUp, waitMilliseconds)
      waiting.add(start)
    })
  return async (work) => {
    if (running < concurrency) running++
    else if (waiting.size >= queue) throw busyError()
    // Finished work hands its slot to the next in line, so that no later call can take it.
    else await waitForTurn()
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next === undefined) running--
      else {
        waiting.delete(next)
        next()
      }
    }
  }
}
