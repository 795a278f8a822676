import { createHmac } from 'node:crypto'
import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { PasswordTurn } from '../../platform/password-turns.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import { tooMany } from '../errors.ts'
import { networkOf, siteOf } from '../networks.ts'
import { addOne, addOneWithin, type Counted, type CounterWindow } from './attempt-queries.ts'

const PER_ADDRESS: RateLimit = { limit: 60, windowSeconds: 60 }
const PER_ACCOUNT: RateLimit = { limit: 100, windowSeconds: 3600 }

/** Attempts of one device or session, besides RATE_LIMIT_AUTH, and of all of an account together. */
const PER_CREDENTIAL: RateLimit = { limit: 100, windowSeconds: 3600 }
const TOGETHER: readonly RateLimit[] = [
  { limit: 30, windowSeconds: 60 },
  { limit: 300, windowSeconds: 3600 },
]

/** A known device of an account, or a session of it. */
export type OwnCredential = Readonly<{ userId: string; id: string }>

/** A known device of an account, and in whose turn its password is checked. */
export type KnownDevice = OwnCredential & Readonly<{ turn: PasswordTurn }>

/**
 * Counts a sign-in attempt before its password is checked; the account need not exist. 429 beyond the limit of the account
 * from this address, of the address, or of the account from any address; what the address refuses doesn't count for the
 * account. A known device has a limit of its own, which strangers can't use up; beyond it, it counts as a stranger. Returns
 * in whose turn the password is to be checked: strangers don't keep a known device waiting either.
 */
export async function countAttempt(
  ctx: Context,
  emailKey: string,
  ipAddress: string | null,
  device: KnownDevice | null = null,
): Promise<PasswordTurn> {
  const own = ctx.config.rateLimits.auth
  const strangerTurn = { site: siteOf(ipAddress) }
  if (own === null) return device === null ? strangerTurn : device.turn
  const network = networkOf(ipAddress)
  const now = ctx.clock.now().getTime()
  const deviceLimit = device && (await countOwn(ctx, own, now, 'device', device))
  if (device !== null && deviceLimit === null) return device.turn
  const address = counterWindow(ctx, PER_ADDRESS, now, ['address', network])
  const pair = counterWindow(ctx, own, now, ['account and address', emailKey, network])
  // What the address is refused makes no row, whatever accounts it names.
  const addressLimit = ctx.fullWindows.has(address)
    ? address
    : remember(ctx, exceededAmong([address, pair], await addOneWithin(ctx.db, address, pair)))
  // Attempts that the address is refused must not use up those of other addresses.
  const strangerLimit =
    addressLimit ?? (await count(ctx, [counterWindow(ctx, PER_ACCOUNT, now, ['account', emailKey])]))
  if (strangerLimit === null) return strangerTurn
  const sooner = deviceLimit !== null && deviceLimit.end < strangerLimit.end ? deviceLimit : strangerLimit
  throw limitError(now, 'Too many sign-in attempts. Try again later.', sooner)
}

/**
 * Counts an attempt of a signed-in user to enter the current password, before the password is checked. 429 beyond the
 * limit of the session, or of all sessions of the account together. Attempts of strangers don't count.
 */
export async function countPasswordProof(ctx: Context, session: OwnCredential): Promise<void> {
  const own = ctx.config.rateLimits.auth
  if (own === null) return
  const now = ctx.clock.now().getTime()
  const exceeded = await countOwn(ctx, own, now, 'session', session)
  if (exceeded === null) return
  throw limitError(now, 'Too many attempts at the current password. Try again later.', exceeded)
}

/** Counts an attempt at the setup token as a sign-in attempt from its address. 429 beyond the limit. */
export const countSetupToken = (ctx: Context, ipAddress: string | null): Promise<void> =>
  countFrom(ctx, 'address', ipAddress, 'Too many attempts at the setup token. Try again later.')

/** Counts a registration without an invite. 429 beyond 60 a minute from one address; off with the sign-in limits. */
export const countRegistration = (ctx: Context, ipAddress: string | null): Promise<void> =>
  countFrom(ctx, 'registration', ipAddress, 'Too many registrations. Try again later.')

/** Counts a sign-in with a passkey. 429 beyond 60 a minute from one address; off with the sign-in limits. */
export const countPasskeySignIn = (ctx: Context, ipAddress: string | null): Promise<void> =>
  countFrom(ctx, 'passkey', ipAddress, 'Too many sign-in attempts. Try again later.')

/** Counts a request for a mail. 429 beyond 60 a minute from one address; off with the sign-in limits. */
export const countMailRequest = (ctx: Context, ipAddress: string | null): Promise<void> =>
  countFrom(ctx, 'mail request', ipAddress, 'Too many requests for a mail. Try again later.')

/** Counts a step of a single sign-on. 429 beyond 60 a minute from one address; off with the sign-in limits. */
export const countSsoStep = (
  ctx: Context,
  step: 'start' | 'callback',
  ipAddress: string | null,
): Promise<void> => countFrom(ctx, `single sign-on ${step}`, ipAddress, 'Too many sign-ins. Try again later.')

async function countFrom(
  ctx: Context,
  what: string,
  ipAddress: string | null,
  message: string,
): Promise<void> {
  if (ctx.config.rateLimits.auth === null) return
  await countWithin(ctx, PER_ADDRESS, [what, networkOf(ipAddress)], message)
}

/** Adds one to the present window of what is counted; beyond the limit, a 429 with this message. */
export async function countWithin(
  ctx: Context,
  rate: RateLimit,
  what: readonly string[],
  message: string,
): Promise<void> {
  const now = ctx.clock.now().getTime()
  const exceeded = await count(ctx, [counterWindow(ctx, rate, now, what)])
  if (exceeded !== null) throw limitError(now, message, exceeded)
}

/** The 429 of a window whose limit is exceeded. */
export const limitError = (now: number, message: string, { end, rate }: CounterWindow) =>
  tooMany(message, (end - now) / 1000, rate.limit)

/** Beyond its own limit, an attempt does not count for the account: a stolen device or session can't block the others. */
async function countOwn(
  ctx: Context,
  own: RateLimit,
  now: number,
  kind: 'device' | 'session',
  { userId, id }: OwnCredential,
): Promise<CounterWindow | null> {
  const exceeded = await count(ctx, [
    counterWindow(ctx, own, now, [kind, userId, id]),
    counterWindow(ctx, PER_CREDENTIAL, now, [`${kind} in an hour`, userId, id]),
  ])
  if (exceeded !== null) return exceeded
  const together = TOGETHER.map((rate) =>
    counterWindow(ctx, rate, now, [`every ${kind}`, userId, String(rate.windowSeconds)]),
  )
  return count(ctx, together)
}

/** The present window of what is counted. Keys are HMACs: the table shows neither addresses nor who has an account. */
export function counterWindow(
  ctx: Context,
  rate: RateLimit,
  now: number,
  what: readonly string[],
): CounterWindow {
  const length = rate.windowSeconds * 1000
  const start = Math.floor(now / length) * length
  const key = createHmac('sha256', ctx.config.secretKey)
    .update(`keyward/sign-in-attempts/${JSON.stringify(what)}`)
    .digest('base64url')
  return { key, rate, start, end: start + length }
}

/**
 * Adds one to each window, unless all are known to be full; returns the last to end of those whose limit is exceeded, or null.
 */
export async function count(ctx: Context, windows: readonly CounterWindow[]): Promise<CounterWindow | null> {
  if (windows.every(ctx.fullWindows.has)) return lastToEnd(windows)
  return remember(ctx, await countEach(ctx.db, windows))
}

/** Adds one to each window, all of which are different; returns those whose limit is exceeded. */
export const countEach = async (db: Queryable, windows: readonly CounterWindow[]): Promise<CounterWindow[]> =>
  exceededAmong(windows, await addOne(db, windows))

/**
 * Remembers windows that are full, and returns the last of them to end. Only for committed counts: a transaction that is
 * rolled back takes its attempts with it.
 */
function remember(ctx: Context, full: readonly CounterWindow[]): CounterWindow | null {
  full.forEach(ctx.fullWindows.add)
  return lastToEnd(full)
}

const lastToEnd = (windows: readonly CounterWindow[]): CounterWindow | null =>
  windows.toSorted((a, b) => b.end - a.end)[0] ?? null

function exceededAmong(windows: readonly CounterWindow[], rows: readonly Counted[]): CounterWindow[] {
  const counts = new Map(rows.map((row) => [row.key, row.count]))
  return windows.filter(({ key, rate }) => (counts.get(key) ?? 0) > rate.limit)
}
