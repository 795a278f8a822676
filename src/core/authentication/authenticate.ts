import type { Context } from '../../context.ts'
import type { Database } from '../../platform/postgres/database.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { type Caller, type RequestSource, sharerOf } from '../actor.ts'
import { unauthenticated } from '../errors.ts'
import { isPhaseBearer } from '../keys/phase-token.ts'
import { visitorFrom } from '../networks.ts'
import { isSessionExpired, isSessionTokenExpired } from '../sessions/lifetime.ts'
import type { SignedInUser } from '../sessions/session.ts'
import { hashToken, tokenKind } from '../tokens/token-text.ts'
import { callerFrom, sessionCallerFrom } from './caller-of-row.ts'
import { markSeen, markUsed } from './last-use.ts'
import * as queries from './queries.ts'

/** Confirms the version of the state, at some moment after the request arrived. */
export type Confirm = () => Promise<string>

/**
 * Finds out who calls, from the value of the Authorization header: from memory if nothing has changed since the token was
 * last looked up, as `confirm` tells, and otherwise in one query. A word before the token, `User` or `ServiceAccount`, says
 * nothing. 401 when the header is absent or malformed, or the token is unknown, expired, revoked or of a removed member.
 */
export async function authenticate(
  ctx: Context,
  header: string | null,
  source: RequestSource,
  confirm: Confirm = () => confirmVersion(ctx),
): Promise<Caller> {
  if (header === null || header.trim() === '') throw noCredentials()
  const text = tokenIn(header)
  if (text === undefined) throw unauthenticated('Invalid token')
  if (isPhaseBearer(text)) return byAccessToken(ctx, text, source, confirm)
  const kind = tokenKind(text)
  if (kind === null || kind === 'cookie') throw unauthenticated('Invalid token')
  return kind === 'ses'
    ? bySessionToken(ctx, text, source, confirm)
    : byAccessToken(ctx, text, source, confirm)
}

/**
 * Whose token the value of an Authorization header was when this process last accepted it; null where it never has. It may
 * not be valid any more: use it only to decide whose room a body takes, and whose turn it is, until the token is checked.
 */
export function acceptedBefore(ctx: Pick<Context, 'lookUps'>, header: string | null): Sharer | null {
  const text = tokenIn(header ?? '')
  return text === undefined ? null : ctx.lookUps.acceptedFor(hashToken(text))
}

const tokenIn = (header: string): string | undefined =>
  /^Bearer +(?:(?:User|ServiceAccount) +)?(\S+) *$/i.exec(header)?.[1]

/** The version of the state at some moment after the call; an empty string where nothing is remembered. */
export const confirmVersion = ({ memory }: Pick<Context, 'memory'>): Promise<string> =>
  memory === null ? Promise.resolve('') : memory.confirm()

/** Finds out who calls with a session token; 401 for every other kind of token. */
export async function authenticateSessionToken(
  ctx: Context,
  header: string | null,
  source: RequestSource,
): Promise<SignedInUser> {
  const caller = await authenticate(ctx, header, source)
  if (caller.credential.kind !== 'session')
    throw unauthenticated('This needs a session, not an access token.')
  return caller as SignedInUser
}

/** Finds out who calls with a session cookie, and when they signed in. 401 when it is absent, unknown or expired. */
export async function authenticateCookie(
  ctx: Context,
  cookie: string | null,
  source: RequestSource,
): Promise<{ caller: SignedInUser; signedInAt: Date }> {
  if (cookie === null) throw noCredentials()
  if (tokenKind(cookie) !== 'cookie') throw unauthenticated('Invalid session')
  const now = ctx.clock.now()
  const hash = hashToken(cookie)
  const row = await lookUp(ctx, hash, source, (db) => queries.findByCookie(db, hash, asksForFactor(ctx)))
  if (row === undefined || isSessionExpired(lifetimeOf(row), now)) throw refused(ctx, hash)
  markUsed(ctx, 'session', row.credential_id, row.session_last_used_at, now)
  markSeen(ctx, row, now)
  const credential = { kind: 'session', id: row.credential_id, text: cookie } as const
  const caller = sessionCallerFrom(ctx, row, credential, source) as SignedInUser
  ctx.lookUps.accept(hash, sharerOf(caller))
  return { caller, signedInAt: row.session_created_at }
}

async function byAccessToken(
  ctx: Context,
  text: string,
  source: RequestSource,
  confirm: Confirm,
): Promise<Caller> {
  const hash = hashToken(text)
  const row = await recall(ctx, hash, source, confirm, queries.findByToken, isTokenLive)
  const now = ctx.clock.now()
  if (row === undefined || !isTokenLive(row, now)) throw refused(ctx, hash)
  markUsed(ctx, 'token', row.credential_id, row.last_used_at, now, (at) => {
    row.last_used_at = at
  })
  markSeen(ctx, row, now)
  const caller = callerFrom(row, { kind: 'token', id: row.credential_id, text }, source)
  ctx.lookUps.accept(hash, sharerOf(caller))
  return caller
}

async function bySessionToken(
  ctx: Context,
  text: string,
  source: RequestSource,
  confirm: Confirm,
): Promise<Caller> {
  const hash = hashToken(text)
  const query = (db: Database) => queries.findBySessionToken(db, hash, asksForFactor(ctx))
  const row = await recall(ctx, hash, source, confirm, query, isSessionTokenLive)
  const now = ctx.clock.now()
  if (row === undefined || !isSessionTokenLive(row, now)) throw refused(ctx, hash)
  markSeen(ctx, row, now)
  const caller = sessionCallerFrom(ctx, row, { kind: 'session', id: row.credential_id, text }, source)
  ctx.lookUps.accept(hash, sharerOf(caller))
  return caller
}

const asksForFactor = ({ config }: Context): boolean => config.requireSecondFactor !== 'off'
const isTokenLive = (row: queries.TokenCallerRow, now: Date): boolean =>
  row.expires_at === null || row.expires_at > now

const isSessionTokenLive = (row: queries.SessionTokenCallerRow, now: Date): boolean =>
  !isSessionTokenExpired(row, now) && !isSessionExpired(lifetimeOf(row), now)

/**
 * The row of a token from memory, or from the database. One that seems to have expired is looked up again: last uses, on
 * which the end of a session depends, are written without a new version. An unknown token is never remembered.
 */
async function recall<Row extends queries.CallerRow>(
  ctx: Context,
  hash: Buffer,
  source: RequestSource,
  confirm: Confirm,
  query: (db: Database, hash: Buffer) => PromiseLike<readonly Row[]>,
  isLive: (row: Row, now: Date) => boolean,
): Promise<Row | undefined> {
  const { memory } = ctx
  if (memory === null) return await lookUp(ctx, hash, source, query)
  // Both together take no longer than one statement may.
  const until = performance.now() + ctx.db.deadlines.statementMilliseconds
  const version = await confirm()
  const key = hash.toString('latin1')
  const known = memory.recall<Row>('caller', version, key)
  if (known !== undefined && isLive(known, ctx.clock.now())) return known
  const row = await memory.load('caller', version, key, async () => {
    const found = await lookUp(ctx, hash, source, query, Math.max(0, until - performance.now()))
    return found === undefined ? null : { value: found, bytes: rowBytes(found) }
  })
  return row ?? undefined
}

/** About how much memory a row takes. */
const rowBytes = (row: queries.CallerRow): number => 1000 + 2 * JSON.stringify(row).length

const lookUp = <Row>(
  ctx: Context,
  hash: Buffer,
  { ipAddress }: RequestSource,
  query: (db: Database, hash: Buffer) => PromiseLike<readonly Row[]>,
  millisecondsLeft?: number,
): Promise<Row | undefined> =>
  ctx.lookUps.find(hash, visitorFrom(ipAddress), () => query(ctx.db, hash), millisecondsLeft)

/** 401 for a credential that is unknown, or valid no longer. */
function refused({ lookUps }: Context, hash: Buffer) {
  lookUps.forget(hash)
  return unauthenticated()
}

const noCredentials = () => unauthenticated('Authentication credentials were not provided.')

const lifetimeOf = (row: queries.SessionCallerRow) => ({
  created_at: row.session_created_at,
  expires_at: row.session_expires_at,
  last_used_at: row.session_last_used_at,
})
