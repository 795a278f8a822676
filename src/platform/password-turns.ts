import { createFairLimiter, type FairLimiterOptions, TooBusyError } from './limiter.ts'

/**
 * In whose turn a password is hashed or checked. For a browser, session or link that an account knows, and for whoever
 * registers with an invite: in that of the account, which is a member's or not. Otherwise in that of the site that the
 * request comes from.
 */
export type PasswordTurn = Readonly<{ member: string } | { account: string } | { site: string }>

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
 * Runs so many at once. Members who are known wait in a line of their own, `queue` of one account, however many members
 * there are. Where anyone may register, anyone can have many accounts that are known: those of no member have a line for
 * `queue`, and so have strangers, half of theirs for new passwords. When such a line is full, the last of the site or
 * account with the most in it makes room for one with fewer: so neither one site nor one account keeps others out.
 * The three lines take turns. `PasswordsBusy` for whoever can't wait.
 */
export function createPasswordTurns({ concurrency, queue }: { concurrency: number; queue: number }) {
  const options = { concurrency, concurrencyEach: concurrency, busyError: () => new PasswordsBusy() }
  const members = createFairLimiter({ ...options, queueEach: queue })
  // Bounded by the places: who has made room stays in the limiter's queue for a moment.
  const [strangers, accounts] = [unbounded(options), unbounded(options)]
  const [strangersPlaces, accountsPlaces] = [
    createPlaces(concurrency + queue),
    createPlaces(concurrency + queue),
  ]
  const newPasswords = createPlaces(concurrency + Math.ceil(queue / 2))
  /** The heads of the three lines, which take turns. */
  const heads = createFairLimiter({ ...options, queueEach: concurrency })

  return async <T>(turn: PasswordTurn, what: 'hash' | 'verify', work: () => Promise<T>): Promise<T> => {
    if ('member' in turn) return await members.run(turn.member, () => heads.run('members', work))
    if ('account' in turn) {
      return await accountsPlaces(turn.account, (begin) =>
        accounts.run(turn.account, () => heads.run('accounts', () => begin(work))),
      )
    }
    const waiting = (begin: Begin) =>
      strangersPlaces(`${what} ${turn.site}`, (beginToo) =>
        strangers.run(`${what} ${turn.site}`, () =>
          heads.run('strangers', () => begin(() => beginToo(work))),
        ),
      )
    return await (what === 'hash' ? newPasswords(turn.site, waiting) : waiting((work) => work()))
  }
}

const unbounded = (options: Omit<FairLimiterOptions, 'queueEach'>) =>
  createFairLimiter({ ...options, queueEach: Number.POSITIVE_INFINITY })

/** Begins work that has waited, unless it has made room for another meanwhile. */
type Begin = <T>(work: () => Promise<T>) => Promise<T>

type Place = { line: string; hasBegun: boolean; makeRoom: () => void }

/**
 * So many places for those that wait or run, of all lines together. A line with fewer than another takes a place from it
 * when all are taken, from the last that has not begun; `PasswordsBusy` for that one, or where there is none.
 */
function createPlaces(most: number) {
  const taken: Place[] = []
  const countOf = (line: string) => taken.filter((place) => place.line === line).length
  const leave = (place: Place) => {
    const at = taken.indexOf(place)
    if (at >= 0) taken.splice(at, 1)
  }
  const requirePlace = (line: string) => {
    if (taken.length < most) return
    const waiting = taken.filter((place) => !place.hasBegun)
    const counts = new Map(waiting.map((place) => [place.line, countOf(place.line)]))
    const [longest] = [...counts].sort(([, a], [, b]) => b - a)
    const last = waiting.findLast((place) => place.line === longest?.[0])
    if (longest === undefined || last === undefined || longest[1] <= countOf(line) + 1)
      throw new PasswordsBusy()
    last.makeRoom()
  }
  return async <T>(line: string, wait: (begin: Begin) => Promise<T>): Promise<T> => {
    requirePlace(line)
    const { promise: displaced, reject } = Promise.withResolvers<never>()
    const place: Place = {
      line,
      hasBegun: false,
      makeRoom: () => {
        leave(place)
        reject(new PasswordsBusy())
      },
    }
    taken.push(place)
    const begin: Begin = async (work) => {
      if (!taken.includes(place)) throw new PasswordsBusy()
      place.hasBegun = true
      return await work()
    }
    const done = wait(begin)
    // Whoever has made room hears of it at once; its turn comes later, and is nobody's.
    done.catch(() => {})
    return await Promise.race([done, displaced]).finally(() => leave(place))
  }
}
