import {
  add,
  drop,
  moveToEnd,
  type Path,
  pathOf,
  type Queues,
  type Sharer,
  sizeAt,
  take,
} from './turn-queues.ts'

/** Limits how many run at once; the others wait in order. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>

/** Limits how many run at once, of all callers together and of each; callers take turns. */
export type FairLimiter = Readonly<{
  /** Runs the work in the caller's turn. */
  run<T>(caller: Sharer, work: () => Promise<T>): Promise<T>
  /** Waits for the caller's turn; gives what ends it, to be called exactly once. */
  enter(caller: Sharer): Promise<() => void>
  /** Whether the caller need not wait now. */
  isFree(caller: Sharer): boolean
  /** Begins the caller's turn if it need not wait; gives what ends it, else null. */
  tryToEnter(caller: Sharer): (() => void) | null
}>

/** A fair limiter for each key, such as the id of what the work changes. */
export type KeyedLimiter = Readonly<{
  /** Runs the work in the caller's turn among those with the same key. */
  run<T>(key: string, caller: Sharer, work: () => Promise<T>): Promise<T>
}>

/** Thrown when the queue is full or the wait timed out, before the work starts. */
export class TooBusyError extends Error {
  override readonly name: string = 'Busy'
  constructor(message = 'The server is busy. Try again in a second.') {
    super(message)
  }
}

/** Thrown when a caller's own queue is full, whatever the others do. */
export class CallerBusyError extends TooBusyError {
  override readonly name = 'CallerBusy'
  constructor() {
    super('You have too many requests under way. Wait for some to finish.')
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

export type FairLimiterOptions = Omit<LimiterOptions, 'queue'> & {
  /** How many of one share run at once. */
  concurrencyEach: number
  /** How many of one caller wait beyond those that run. */
  queueEach: number
}

/** A limiter of this process. Its work must not use the same limiter: it would wait for itself. */
export function createLimiter({ queue, ...options }: LimiterOptions): Limiter {
  const { concurrency, busyError = () => new TooBusyError() } = options
  const limiter = createFairLimiter({ ...options, busyError, concurrencyEach: concurrency, queueEach: queue })
  return (work) => limiter.run('', work)
}

/**
 * A limiter of this process with a queue for each caller. A free slot goes to the shares in turn, there to the branches in
 * turn, and there to the callers in turn, whatever the length of their queues: one with many requests delays another by one
 * request at most. `CallerBusyError` when the caller's own queue is full, unless `busyError` says otherwise. Its work must
 * not use the same limiter: it would wait for itself.
 */
export function createFairLimiter(options: FairLimiterOptions): FairLimiter {
  const { concurrency, concurrencyEach, queueEach, waitMilliseconds, busyError } = options
  const busy = busyError ?? (() => new TooBusyError())
  /** How many run, by share. */
  const running = new Map<string, number>()
  let total = 0
  const queues: Queues = new Map()

  const hasRoom = (share: string) => total < concurrency && (running.get(share) ?? 0) < concurrencyEach
  const begin = (share: string) => {
    total++
    running.set(share, (running.get(share) ?? 0) + 1)
  }
  // Counted as running at once, so that no later call can take the slot.
  const startNext = () => {
    const share = queues.keys().find(hasRoom)
    const start = share === undefined ? undefined : take(queues, share)
    if (share === undefined || start === undefined) return
    begin(share)
    start()
  }
  const end = (path: Path) => {
    const [share] = path
    total--
    const others = (running.get(share) ?? 1) - 1
    if (others === 0) running.delete(share)
    else running.set(share, others)
    // Also behind those that came while it ran.
    moveToEnd(queues, path)
    startNext()
  }
  const waitForTurn = (path: Path) =>
    new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        resolve()
      }
      const giveUp = () => {
        drop(queues, path, start)
        reject(busy())
      }
      const timer = waitMilliseconds === undefined ? undefined : setTimeout(giveUp, waitMilliseconds)
      add(queues, path, start)
    })
  const tryToEnter = (caller: Sharer) => {
    const path = pathOf(caller)
    if (!hasRoom(path[0])) return null
    begin(path[0])
    return () => end(path)
  }
  const enter = async (caller: Sharer) => {
    const entered = tryToEnter(caller)
    if (entered !== null) return entered
    const path = pathOf(caller)
    if (sizeAt(queues, path) >= queueEach) throw busyError?.() ?? new CallerBusyError()
    await waitForTurn(path)
    return () => end(path)
  }
  return {
    enter,
    isFree: (caller) => hasRoom(pathOf(caller)[0]),
    tryToEnter,
    run: async (caller, work) => {
      const leave = await enter(caller)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

/** Fair limiters with the same options, each of which exists while it is used. */
export function createKeyedLimiter(options: FairLimiterOptions): KeyedLimiter {
  const limiters = new Map<string, { limiter: FairLimiter; users: number }>()
  return {
    run: async (key, caller, work) => {
      const used = limiters.get(key) ?? { limiter: createFairLimiter(options), users: 0 }
      limiters.set(key, used)
      used.users++
      try {
        return await used.limiter.run(caller, work)
      } finally {
        used.users--
        if (used.users === 0) limiters.delete(key)
      }
    },
  }
}
