import { createFairLimiter, TooBusyError } from './limiter.ts'

/**
 * In whose turn a password is hashed or checked: for a browser, session or link that an account knows, in that of the
 * account, which a member has or somebody who is none; otherwise in that of the network that the request comes from.
 */
export type PasswordTurn = Readonly<{ member: string } | { account: string } | { network: string }>

/** How many strangers wait, and how many with accounts that are no members. */
export const PASSWORD_QUEUE = 20

/** Thrown, so that it can't be mistaken for a correct password. */
export class PasswordsBusy extends TooBusyError {
  override readonly name = 'PasswordsBusy'
  constructor() {
    super('The server is busy. Try again in a second.')
  }
}

/**
 * Runs so many at once. `queue` of strangers wait beyond those, half of it from one network, and half of it for new
 * passwords: so neither one address nor many registrations keep others from signing in. Members who are known wait in a
 * line of their own, half of `queue` of one account, however many members there are. Where anyone may register, anyone
 * can have many accounts that are known: those of no member have a line for `queue`, half of it of one account. The
 * three lines take turns. `PasswordsBusy` for whoever can't wait.
 */
export function createPasswordTurns({ concurrency, queue }: { concurrency: number; queue: number }) {
  const [all, half] = [concurrency + queue, concurrency + Math.ceil(queue / 2)]
  const options = { concurrency, concurrencyEach: concurrency, busyError: () => new PasswordsBusy() }
  const strangers = createFairLimiter({ ...options, queueEach: queue })
  const members = createFairLimiter({ ...options, queueEach: Math.ceil(queue / 2) })
  const accounts = createFairLimiter({ ...options, queueEach: queue })
  /** The heads of the three lines, which take turns. */
  const heads = createFairLimiter({ ...options, queueEach: concurrency })
  const takePlace = createPlaces()

  return async <T>(turn: PasswordTurn, what: 'hash' | 'verify', work: () => Promise<T>): Promise<T> => {
    if ('member' in turn) return await members.run(turn.member, () => heads.run('members', work))
    const isAccount = 'account' in turn
    const line = isAccount ? `account ${turn.account}` : `${what} ${turn.network}`
    const leave = isAccount
      ? takePlace({ accounts: all, [line]: half })
      : takePlace({ strangers: all, ...(what === 'hash' && { hash: half }), [line]: half })
    try {
      return isAccount
        ? await accounts.run(line, () => heads.run('accounts', work))
        : await strangers.run(line, () => heads.run('strangers', work))
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
