import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { AccountRow } from '../accounts/account.ts'
import { recordAccount, recordCaller } from '../accounts/account-audit.ts'
import type { Caller, RequestSource } from '../actor.ts'
import { latestNow } from '../clock-skew.ts'
import type { Page, PageRequest } from '../contract/lists.ts'
import { notFound, unauthenticated } from '../errors.ts'
import { creationOrder, pageRange, toPage } from '../pagination.ts'
import { hashToken, newToken } from '../tokens/token-text.ts'
import { ownTransaction, transaction } from '../transactions.ts'
import { activeTimes, after, SESSION_SECONDS, SESSION_TOKEN_SECONDS } from './lifetime.ts'
import * as queries from './queries.ts'
import { present, type Session, type SessionToken, type SignedInUser } from './session.ts'

/** A session needs a token for each open page of the console. */
const MAX_SESSIONS_PER_USER = 50
const MAX_TOKENS_PER_SESSION = 50

/** A new session; `cookie` is for the browser only. */
export type OpenedSession = SessionToken & Readonly<{ id: string; cookie: string }>

/**
 * What a sign-in has proved: the password that was checked, by its hash, the passkey that was used, or an identity at a
 * provider, by its id.
 */
export type SignInProof =
  | Readonly<{ method: 'password'; passwordHash: string }>
  | Readonly<{ method: 'passkey'; passkeyId: string }>
  | Readonly<{ method: 'sso'; identityId: string }>

/**
 * Starts a session of an account; beyond 50 of the account the oldest ends. Null when what was proved no longer holds,
 * because the password was changed, the passkey removed or the identity unlinked since it was checked.
 */
export const open = (
  ctx: Context,
  account: AccountRow,
  proof: SignInProof,
  source: RequestSource,
): Promise<OpenedSession | null> =>
  transaction(ctx, async (tx) => {
    const at = ctx.clock.now()
    const { user_id: userId } = account
    if (!(await lockProved(tx, userId, proof))) return null
    const ended = await queries.removeSurplus(tx, userId, activeTimes(at), MAX_SESSIONS_PER_USER - 1)
    const id = randomUUID()
    const cookie = newToken('cookie')
    await queries.insert(tx, {
      id,
      userId,
      cookieHash: hashToken(cookie),
      method: proof.method,
      ipAddress: source.ipAddress,
      userAgent: source.userAgent,
      at,
      expiresAt: after(at, SESSION_SECONDS),
    })
    await recordSurplus(ctx, tx, account, { id, source }, ended)
    const accessToken = newToken('ses')
    const expiresAt = after(at, SESSION_TOKEN_SECONDS)
    await queries.insertToken(tx, id, hashToken(accessToken), expiresAt)
    return { id, cookie, accessToken, expiresAt: expiresAt.toISOString() }
  })

/** Locks an account; false when what was proved no longer holds. */
async function lockProved(tx: Transaction, userId: string, proof: SignInProof): Promise<boolean> {
  if (proof.method === 'password') {
    return (await queries.lockPassword(tx, userId, proof.passwordHash)).length > 0
  }
  // Order matters: what was proved is looked for under the lock.
  await queries.lockUser(tx, userId)
  const proved =
    proof.method === 'passkey'
      ? await queries.findPasskey(tx, userId, proof.passkeyId)
      : await queries.lockIdentity(tx, userId, proof.identityId)
  return proved.length > 0
}

/** Creates a token for the caller's session, which keeps its newest 50; 401 when the session has ended. */
export const issueToken = (ctx: Context, caller: SignedInUser): Promise<SessionToken> =>
  ownTransaction(ctx, caller, async (tx) => {
    const at = ctx.clock.now()
    const { id } = caller.credential
    const [session] = await queries.lockAndMarkUsed(tx, id, at)
    if (session === undefined) throw unauthenticated()
    const expiresAt = new Date(
      Math.min(session.expires_at.getTime(), after(at, SESSION_TOKEN_SECONDS).getTime()),
    )
    await queries.removeSurplusTokens(
      tx,
      id,
      at,
      after(latestNow(at), SESSION_TOKEN_SECONDS),
      MAX_TOKENS_PER_SESSION - 1,
    )
    const accessToken = newToken('ses')
    await queries.insertToken(tx, id, hashToken(accessToken), expiresAt)
    return { accessToken, expiresAt: expiresAt.toISOString() }
  })

/**
 * Keeps the caller's session from being ended until the transaction ends; 401 when it has ended. So a session that is
 * ended meanwhile can't create anything that outlives it.
 */
export async function hold(tx: Transaction, caller: Caller): Promise<void> {
  if ((await queries.lock(tx, caller.credential.id)).length === 0) throw unauthenticated()
}

/** The caller's own sessions, oldest first. */
export async function list(ctx: Context, caller: SignedInUser, request: PageRequest): Promise<Page<Session>> {
  const range = pageRange(ctx, 'sessions', request)
  const rows = await queries.list(ctx.db, caller.userId, activeTimes(ctx.clock.now()), range)
  return toPage(ctx, 'sessions', range, rows, creationOrder, (row) => present(row, caller.credential.id))
}

/**
 * Ends one of the caller's own sessions, and with it its tokens; tells whether it was the one of the request. 404 for any
 * other; 401 when the request's own session has just been ended.
 */
export const end = (ctx: Context, caller: SignedInUser, id: string): Promise<{ isCurrent: boolean }> =>
  ownTransaction(ctx, caller, async (tx) => {
    const sessionId = id.toLowerCase()
    const isCurrent = sessionId === caller.credential.id
    if (!(await queries.remove(tx, caller.userId, sessionId)))
      throw isCurrent ? unauthenticated() : notFound('Session')
    await recordCaller(ctx, tx, caller, {
      eventType: 'session.ended',
      resourceId: sessionId,
      description: isCurrent ? 'Signed out.' : 'Session ended from another session.',
    })
    return { isCurrent }
  })

/** Ends all sessions of a user, and with them their tokens: for a removal or a new password. */
export async function endAll(tx: Transaction, userId: string): Promise<void> {
  await queries.removeAll(tx, userId)
}

/** Tells in the audit log why a user's oldest sessions have ended. */
async function recordSurplus(
  ctx: Context,
  tx: Transaction,
  account: AccountRow,
  session: Readonly<{ id: string; source: RequestSource }>,
  ended: readonly { id: string; was_active: boolean }[],
): Promise<void> {
  const [first, ...others] = ended.filter(({ was_active }) => was_active)
  if (first === undefined) return
  const credential = { kind: 'session', id: session.id, text: '' } as const
  const more = others.length === 0 ? '' : `, and ${others.length} more with it`
  await recordAccount(
    ctx,
    tx,
    account,
    { credential, source: session.source },
    {
      eventType: 'session.ended',
      resourceId: first.id,
      description: `Session ended${more}: the account has ${MAX_SESSIONS_PER_USER} newer ones.`,
    },
  )
}
