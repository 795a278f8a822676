/** Lets a few in at once; the others wait in line, in the order in which they came. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>

/** Nobody more can wait, or has waited long enough: thrown before the work has begun. */
export class TooBusyError extends Error {
  override readonly name: string = 'Busy'
  constructor(message = 'Too much is waiting at the moment. Try again in a second.') {
    super(message)
  }
}

export type LimiterOptions = {
  /** How many run at once. */
  concurrency: number
  /** How many wait beyond those that run. */
  queue: number
  /** How long each of them waits at most; without it as long as it takes. */
  waitMilliseconds?: number
  /** What those who cannot wait meet. */
  refusal?: () => TooBusyError
}

/** A gate of this process. Its work must not pass the same gate again: it would wait for itself. */
export function createLimiter(options: LimiterOptions): Limiter {
  const { concurrency, queue, waitMilliseconds, refusal = () => new TooBusyError() } = options
  let running = 0
  const waiting = new Set<() => void>()
  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer)
        resolve()
      }
      const leave = () => {
        waiting.delete(enter)
        reject(refusal())
      }
      const timer = waitMilliseconds === undefined ? undefined : setTimeout(leave, waitMilliseconds)
      waiting.add(enter)
    })
  return async (work) => {
    if (running < concurrency) running++
    else if (waiting.size >= queue) throw refusal()
    // Whoever ends hands its place over, so that nobody arriving in between can take it.
    else await turn()
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
