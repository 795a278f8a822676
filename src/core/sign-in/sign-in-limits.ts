import { createHmac } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { tooMany } from '../errors.ts'

const PER_ADDRESS: RateLimit = { limit: 60, windowSeconds: 60 }
const PER_ACCOUNT: RateLimit = { limit: 100, windowSeconds: 3600 }

/** What one device or session may try, besides RATE_LIMIT_AUTH, and what all of an account may try together. */
const PER_CREDENTIAL: RateLimit = { limit: 100, windowSeconds: 3600 }
const TOGETHER: readonly RateLimit[] = [
  { limit: 30, windowSeconds: 60 },
  { limit: 300, windowSeconds: 3600 },
]

/** A browser that an account knows, or a session of the account. */
export type OwnCredential = Readonly<{ userId: string; id: string }>

/**
 * Counts an attempt to sign in before its password is looked at, for an account that need not exist. 429 beyond the
 * limit of the account from this address, of the address, or of the account from anywhere. A device that the account
 * knows counts by itself, whatever strangers do; beyond its own limit it is a stranger. API.md, Around it.
 */
export async function countAttempt(
  ctx: Context,
  emailKey: string,
  ipAddress: string | null,
  device: OwnCredential | null = null,
): Promise<void> {
  const own = ctx.config.rateLimits.auth
  if (own === null) return
  const now = ctx.clock.now().getTime()
  const asDevice = device && (await countOwn(ctx, own, now, 'device', device))
  if (device !== null && asDevice === null) return
  const network = networkOf(ipAddress)
  const asStranger = await count(ctx, [
    counterWindow(ctx, own, now, ['account and address', emailKey, network]),
    counterWindow(ctx, PER_ADDRESS, now, ['address', network]),
    counterWindow(ctx, PER_ACCOUNT, now, ['account', emailKey]),
  ])
  if (asStranger === null) return
  const sooner = asDevice !== null && asDevice.end < asStranger.end ? asDevice : asStranger
  throw refusal(now, 'Too many attempts to sign in; wait before the next one.', sooner)
}

/**
 * Counts an attempt to prove the password of whoever is signed in already, before the password is looked at. 429
 * beyond what one session may try, or all of the account together: strangers have no part in it.
 */
export async function countPasswordProof(ctx: Context, session: OwnCredential): Promise<void> {
  const own = ctx.config.rateLimits.auth
  if (own === null) return
  const now = ctx.clock.now().getTime()
  const passed = await countOwn(ctx, own, now, 'session', session)
  if (passed === null) return
  throw refusal(now, 'Too many attempts at the current password; wait before the next one.', passed)
}

/** Counts an attempt at the setup token as an attempt to sign in from its address. 429 beyond the limit. */
export const countSetupToken = (ctx: Context, ipAddress: string | null): Promise<void> =>
  countFrom(ctx, 'address', ipAddress, 'Too many attempts at the setup token; wait before the next one.')

/** Counts a registration without an invite. 429 beyond 60 a minute from one address; off with the sign-in limits. */
export const countRegistration = (ctx: Context, ipAddress: string | null): Promise<void> =>
  countFrom(ctx, 'registration', ipAddress, 'Too many registrations; wait before the next one.')

/** Counts a request for a mail. 429 beyond 60 a minute from one address; off with the sign-in limits. */
export const countMailRequest = (ctx: Context, ipAddress: string | null): Promise<void> =>
  countFrom(ctx, 'mail request', ipAddress, 'Too many requests for a mail; wait before the next one.')

/** What shares a limit: an IPv4 address, or the /64 that an IPv6 address is in, for whoever has one has all of it. */
export function networkOf(ipAddress: string | null): string {
  if (ipAddress === null || !ipaddr.isValid(ipAddress)) return 'unknown'
  const address = ipaddr.process(ipAddress)
  if (address instanceof ipaddr.IPv4) return address.toString()
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}

type CounterWindow = Readonly<{ key: string; rate: RateLimit; start: number; end: number }>

async function countFrom(
  ctx: Context,
  what: string,
  ipAddress: string | null,
  sentence: string,
): Promise<void> {
  if (ctx.config.rateLimits.auth === null) return
  const now = ctx.clock.now().getTime()
  const passed = await count(ctx, [counterWindow(ctx, PER_ADDRESS, now, [what, networkOf(ipAddress)])])
  if (passed !== null) throw refusal(now, sentence, passed)
}

const refusal = (now: number, sentence: string, { end, rate }: CounterWindow) =>
  tooMany(sentence, (end - now) / 1000, rate.limit)

/** What is refused by the limit of its own counts for no other: whoever stole one device or session stops no other. */
async function countOwn(
  ctx: Context,
  own: RateLimit,
  now: number,
  kind: 'device' | 'session',
  { userId, id }: OwnCredential,
): Promise<CounterWindow | null> {
  const passed = await count(ctx, [
    counterWindow(ctx, own, now, [kind, userId, id]),
    counterWindow(ctx, PER_CREDENTIAL, now, [`${kind} in an hour`, userId, id]),
  ])
  if (passed !== null) return passed
  const together = TOGETHER.map((rate) =>
    counterWindow(ctx, rate, now, [`every ${kind}`, userId, String(rate.windowSeconds)]),
  )
  return count(ctx, together)
}

/** Keys are HMACs: neither addresses nor who has an account can be read from the table. */
function counterWindow(ctx: Context, rate: RateLimit, now: number, what: readonly string[]): CounterWindow {
  const length = rate.windowSeconds * 1000
  const start = Math.floor(now / length) * length
  const key = createHmac('sha256', ctx.config.secretKey)
    .update(`keyward/sign-in-attempts/${JSON.stringify(what)}`)
    .digest('base64url')
  return { key, rate, start, end: start + length }
}

/** Adds one to each window, and gives the last to end of those whose limit is passed; null when none is. */
async function count(ctx: Context, windows: readonly CounterWindow[]): Promise<CounterWindow | null> {
  const counts = new Map((await addOne(ctx.db, windows)).map((row) => [row.key, row.count]))
  const passed = windows.filter(({ key, rate }) => (counts.get(key) ?? 0) > rate.limit)
  return passed.sort((a, b) => b.end - a.end)[0] ?? null
}

/** One order of keys in every statement, so that two attempts never wait for each other. */
function addOne(db: Database, windows: readonly CounterWindow[]) {
  const sorted = windows.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  return db<{ key: string; count: number }[]>`
    insert into sign_in_attempts (key, window_start, expires_at, count)
    select key, window_start, expires_at, 1
    from unnest(
      ${sorted.map(({ key }) => key)}::text[], ${sorted.map(({ start }) => iso(start))}::timestamptz[],
      ${sorted.map(({ end }) => iso(end))}::timestamptz[]
    ) as attempt (key, window_start, expires_at)
    on conflict (key, window_start) do update set count = sign_in_attempts.count + 1
    returning key, count`
}

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()
