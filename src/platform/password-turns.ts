import { createFairLimiter, TooBusyError } from './limiter.ts'

/**
 * In whose turn a password is hashed or checked: in that of an account, for a browser, session or link that it knows;
 * otherwise in that of the network that the request comes from.
 */
export type PasswordTurn = Readonly<{ account: string } | { network: string }>

/** Thrown, so that it can't be mistaken for a correct password. */
export class PasswordsBusy extends TooBusyError {
  override readonly name = 'PasswordsBusy'
  constructor() {
    super('The server is busy. Try again in a second.')
  }
}

/**
 * Runs so many at once. `queue` of strangers wait beyond those, half of it from one network, and half of it for new
 * passwords: so neither one address nor many registrations keep others from signing in. Those who are known wait in a
 * line of their own, which has every second turn, however many strangers there are; half as many of one account.
 * `PasswordsBusy` for whoever can't wait.
 */
export function createPasswordTurns({ concurrency, queue }: { concurrency: number; queue: number }) {
  const [all, half] = [concurrency + queue, concurrency + Math.ceil(queue / 2)]
  const options = { concurrency, concurrencyEach: concurrency, busyError: () => new PasswordsBusy() }
  const strangers = createFairLimiter({ ...options, queueEach: queue })
  const known = createFairLimiter({ ...options, queueEach: Math.ceil(queue / 2) })
  /** The heads of the two lines, which take turns. */
  const heads = createFairLimiter({ ...options, queueEach: concurrency })
  const takePlace = createPlaces()

  return async <T>(turn: PasswordTurn, what: 'hash' | 'verify', work: () => Promise<T>): Promise<T> => {
    if ('account' in turn) return await known.run(turn.account, () => heads.run('known', work))
    const line = `${what} ${turn.network}`
    const leave = takePlace({ all, ...(what === 'hash' && { hash: half }), [line]: half })
    try {
      return await strangers.run(line, () => heads.run('strangers', work))
    } finally {
      leave()
    }
  }
}

/** Takes a place in each of the lines named, which have so many; gives what leaves them again. */
function createPlaces() {
  const taken = new Map<string, number>()
  return (most: Readonly<Record<string, number>>): (() => void) => {
    const lines = Object.entries(most)
    if (lines.some(([line, places]) => (taken.get(line) ?? 0) >= places)) throw new PasswordsBusy()
    for (const [line] of lines) taken.set(line, (taken.get(line) ?? 0) + 1)
    return () => {
      for (const [line] of lines) {
        const left = (taken.get(line) ?? 1) - 1
        if (left === 0) taken.delete(line)
        else taken.set(line, left)
      }
    }
  }
}
