import { createHmac } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { RateLimit } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../platform/database.ts'
import { tooMany } from '../errors.ts'

const PER_ADDRESS: RateLimit = { limit: 60, windowSeconds: 60 }
const PER_ACCOUNT: RateLimit = { limit: 100, windowSeconds: 3600 }

/**
 * Counts an attempt to sign in before its password is looked at, for an account that need not exist. 429 beyond the
 * limit of the account from this address, of the address, or of the account from anywhere. API.md, Around it.
 */
export async function countAttempt(ctx: Context, emailKey: string, ipAddress: string | null): Promise<void> {
  const own = ctx.config.rateLimits.auth
  if (own === null) return
  const now = ctx.clock.now().getTime()
  const network = networkOf(ipAddress)
  await requireWithin(ctx, now, 'Too many attempts to sign in; wait before the next one.', [
    windowOf(ctx, own, now, ['account and address', emailKey, network]),
    windowOf(ctx, PER_ADDRESS, now, ['address', network]),
    windowOf(ctx, PER_ACCOUNT, now, ['account', emailKey]),
  ])
}

/** Counts a registration without an invite. 429 beyond 60 a minute from one address; off with the sign-in limits. */
export async function countRegistration(ctx: Context, ipAddress: string | null): Promise<void> {
  if (ctx.config.rateLimits.auth === null) return
  const now = ctx.clock.now().getTime()
  const window = windowOf(ctx, PER_ADDRESS, now, ['registration', networkOf(ipAddress)])
  await requireWithin(ctx, now, 'Too many registrations; wait before the next one.', [window])
}

async function requireWithin(
  ctx: Context,
  now: number,
  sentence: string,
  windows: readonly Window[],
): Promise<void> {
  const counts = new Map((await count(ctx.db, windows)).map((row) => [row.key, row.count]))
  const passed = windows
    .filter(({ key, rate }) => (counts.get(key) ?? 0) > rate.limit)
    .sort((a, b) => b.end - a.end)[0]
  if (passed === undefined) return
  const waitSeconds = (passed.end - now) / 1000
  throw tooMany(sentence, waitSeconds, passed.rate.limit)
}

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

type Window = { key: string; rate: RateLimit; start: number; end: number }

/** Keys are HMACs: neither addresses nor who has an account can be read from the table. */
function windowOf(ctx: Context, rate: RateLimit, now: number, what: readonly string[]): Window {
  const length = rate.windowSeconds * 1000
  const start = Math.floor(now / length) * length
  const key = createHmac('sha256', ctx.config.secretKey)
    .update(`keyward/sign-in-attempts/${JSON.stringify(what)}`)
    .digest('base64url')
  return { key, rate, start, end: start + length }
}

/** One order of keys in every statement, so that two attempts never wait for each other. */
function count(db: Database, windows: readonly Window[]) {
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
