import { countDown, type JointLimit } from './joint-limit.ts'
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
import { createUsage } from './usage.ts'

/** Limits how many run at once; the others wait in order. */
export type Limiter = <T>(work: () => Promise<T>) => Promise<T>

/** How a turn counts, and how long it is waited for. */
export type Turn = Readonly<{
  /** Gives, at its end, the milliseconds for which others could not do their work: the whole turn unless told. */
  used?: () => number
  /** When waiting for it ends at the latest, of `performance.now()`. */
  until?: number
}>

/** Limits how many run at once, of all callers together and of each share; who has used the least is next. */
export type FairLimiter = Readonly<{
  /** Runs the work in the caller's turn. */
  run<T>(caller: Sharer, work: () => Promise<T>, turn?: Turn): Promise<T>
  /** Waits for the caller's turn, until `left` is aborted; gives what ends it, to be called exactly once. */
  enter(caller: Sharer, left?: AbortSignal): Promise<() => void>
  /** Adds so much time to what the caller's share has used, besides what `run` is told; `atOnce` as for `Usage`. */
  charge(caller: Sharer, milliseconds: number, atOnce?: number): void
  /** Whether the caller need not wait now. */
  isFree(caller: Sharer): boolean
  /** Begins the caller's turn if it need not wait; gives what ends it, else null. */
  tryToEnter(caller: Sharer): (() => void) | null
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
  /**
   * How many run at once of all shares that have used much at once of late; one less than of all unless told. Of each of
   * them runs one less than that.
   */
  concurrencyHeavy?: number
  /** More milliseconds than this are much at once; 200 unless told. */
  heavyMilliseconds?: number
  /** How many run at once of all shares of which one took long of late; of each of them runs one. All unless told. */
  concurrencySlow?: number
  /** A turn of more milliseconds than this took long; none does unless told. */
  slowMilliseconds?: number
  /** After a turn its slot stays empty for as long as the turn took, and so long at most; not at all unless told. */
  pauseMilliseconds?: number
  /** How many of one caller wait beyond those that run. */
  queueEach: number
  /** What limits its turns together with those of other limiters. */
  together?: JointLimit
}

/** A limiter of this process. Its work must not use the same limiter: it would wait for itself. */
export function createLimiter({ queue, ...options }: LimiterOptions): Limiter {
  const { concurrency, busyError = () => new TooBusyError() } = options
  const limiter = createFairLimiter({ ...options, busyError, concurrencyEach: concurrency, queueEach: queue })
  return (work) => limiter.run('', work)
}

/** One of so many free slots goes to the share whose turn it is. */
const SLOTS_FOR_A_TURN = 4

/**
 * A limiter of this process with a queue for each caller. A free slot goes to the share that has used the least time of
 * late, every fourth to the shares in turn, so that none waits for ever; within a share to its branches in turn, and there to
 * the callers in turn, whatever the length of their queues. Shares that were told to have used much at once leave a slot to
 * the others, where there are several, and each of them one to the rest of them. Those with a turn that took long have one at
 * a time. `CallerBusyError` when the caller's own queue is full, unless `busyError` says otherwise. Its work must not use the
 * same limiter: it would wait for itself.
 */
export function createFairLimiter(options: FairLimiterOptions): FairLimiter {
  const { concurrency, concurrencyEach, queueEach, waitMilliseconds, busyError, together } = options
  const { concurrencyHeavy = Math.max(1, concurrency - 1), heavyMilliseconds = 200 } = options
  const { concurrencySlow = concurrency, slowMilliseconds = Infinity, pauseMilliseconds = 0 } = options
  const busy = busyError ?? (() => new TooBusyError())
  /** How many run, by share. */
  const running = new Map<string, number>()
  let total = 0
  let heavy = 0
  let slow = 0
  /** How many slots were given to those that waited. */
  let given = 0
  const usage = createUsage(heavyMilliseconds)
  const turns = createUsage(slowMilliseconds)
  const queues: Queues = new Map()

  /** How many of one share that has used much at once run at most. */
  const heavyEach = Math.max(1, Math.min(concurrencyEach, concurrencyHeavy - 1))
  const hasRoom = (share: string) => {
    const [isHeavy, isSlow] = [usage.isHeavy(share), turns.isHeavy(share)]
    return (
      total < concurrency &&
      (running.get(share) ?? 0) < (isSlow ? 1 : isHeavy ? heavyEach : concurrencyEach) &&
      together?.hasRoom(share) !== false &&
      (heavy < concurrencyHeavy || !isHeavy) &&
      (slow < concurrencySlow || !isSlow)
    )
  }
  const begin = (path: Path): End => {
    const [share] = path
    const [isHeavy, isSlow] = [usage.isHeavy(share), turns.isHeavy(share)]
    const begunAt = performance.now()
    total++
    if (isHeavy) heavy++
    if (isSlow) slow++
    running.set(share, (running.get(share) ?? 0) + 1)
    const endTogether = together?.begin(share)
    const free = () => {
      total--
      if (isHeavy) heavy--
      if (isSlow) slow--
      countDown(running, share)
      // Also behind those that came while it ran.
      moveToEnd(queues, path)
      if (endTogether === undefined) startNext()
      else endTogether()
    }
    return (used) => {
      const took = performance.now() - begunAt
      usage.add(share, used ?? took, used ?? 0)
      if (slowMilliseconds < Infinity) turns.add(share, took)
      if (pauseMilliseconds > 0) setTimeout(free, Math.min(took, pauseMilliseconds))
      else free()
    }
  }
  const nextShare = () => {
    const isTurn = given % SLOTS_FOR_A_TURN === SLOTS_FOR_A_TURN - 1
    let next: string | undefined
    let least = Infinity
    for (const share of queues.keys()) {
      const used = hasRoom(share) ? usage.of(share) : Infinity
      if (used < least) [next, least] = [share, used]
      if (next !== undefined && (isTurn || least === 0)) break
    }
    return next
  }
  const startNext = () => {
    const before = given
    while (total < concurrency) {
      const next = nextShare()
      if (next === undefined) break
      given++
      take(queues, next)?.()
    }
    if (queues.size === 0) together?.waiting.delete(startNext)
    return given > before
  }
  const waitForTurn = (path: Path, until: number, left?: AbortSignal) =>
    new Promise<End>((resolve, reject) => {
      const stopWaiting = () => {
        clearTimeout(timer)
        left?.removeEventListener('abort', giveUp)
      }
      const start = () => {
        stopWaiting()
        // Counted as running at once, so that no later call can take the slot.
        resolve(begin(path))
      }
      const giveUp = () => {
        stopWaiting()
        drop(queues, path, start)
        if (queues.size === 0) together?.waiting.delete(startNext)
        reject(busy())
      }
      const longest = Math.min(waitMilliseconds ?? Infinity, until - performance.now())
      const timer = longest === Infinity ? undefined : setTimeout(giveUp, longest)
      left?.addEventListener('abort', giveUp)
      add(queues, path, start)
      together?.waiting.add(startNext)
    })
  const tryToBegin = (path: Path) => (hasRoom(path[0]) ? begin(path) : null)
  const enter = async (caller: Sharer, until: number, left?: AbortSignal): Promise<End> => {
    const path = pathOf(caller)
    if (until <= performance.now() || left?.aborted) throw busy()
    const entered = tryToBegin(path)
    if (entered !== null) return entered
    if (sizeAt(queues, path) >= queueEach) throw busyError?.() ?? new CallerBusyError()
    return await waitForTurn(path, until, left)
  }
  return {
    enter: (caller, left) => enter(caller, Infinity, left),
    charge: (caller, ...time) => usage.add(pathOf(caller)[0], ...time),
    isFree: (caller) => hasRoom(pathOf(caller)[0]),
    tryToEnter: (caller) => tryToBegin(pathOf(caller)),
    run: async (caller, work, { used, until = Infinity } = {}) => {
      const end = await enter(caller, until)
      try {
        return await work()
      } finally {
        end(used?.())
      }
    },
  }
}

/** Ends work, which has used so many milliseconds of what others wait for: those since it began unless told. */
type End = (used?: number) => void
