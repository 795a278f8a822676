import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import type { CountedPage, PageRequest } from '../contract/lists.ts'
import { unauthenticated } from '../errors.ts'
import { newPhaseToken } from '../keys/phase-token.ts'
import { requireRoom } from '../limits.ts'
import { creationOrder, listCounted, type PageRange } from '../pagination.ts'
import { privateKeyField } from '../principals/principals.ts'
import { written } from '../rows.ts'
import * as sessions from '../sessions/sessions.ts'
import { normaliseName } from '../text.ts'
import { beforeChange, ownTransaction, pipelined } from '../transactions.ts'
import { countCreation } from './creation-limit.ts'
import * as queries from './queries.ts'
import { revoke } from './revocation.ts'
import {
  type CreateToken,
  expiryFrom,
  type IssuedToken,
  MOST_EXPIRED_TOKENS,
  MOST_LIVE_TOKENS,
  present,
  TOKEN_KINDS,
  type Token,
  type TokenFormat,
  type TokenPrincipal,
  type TokenRow,
} from './token.ts'
import { hashToken, newToken } from './token-text.ts'

/** The name of a new token, its format, and when it expires: null for never. */
export type TokenValues = Readonly<{ name: string; expiresAt: Date | null; format: TokenFormat }>

/** The actor's personal access tokens, oldest first, expired ones included. */
export const list = (ctx: Context, actor: Actor, request: PageRequest): Promise<CountedPage<Token>> =>
  listOf(ctx, actor.id, request, (range) => queries.list(ctx.db, actor.id, range))

/** The tokens of a principal as a list; `read` reads those in a range. */
export const listOf = (
  ctx: Context,
  principalId: string,
  request: PageRequest,
  read: (range: PageRange) => PromiseLike<readonly TokenRow[]>,
): Promise<CountedPage<Token>> =>
  listCounted(ctx, request, {
    name: `tokens/${principalId}`,
    read,
    count: () => queries.count(ctx.db, principalId),
    sortKey: creationOrder,
    present,
  })

/**
 * Creates a personal access token for the actor, unless its session has ended meanwhile (401). 400 for an expiry in the
 * past or too far ahead, 409 beyond `MOST_LIVE_TOKENS`, 429 for too many in an hour.
 */
export async function create(ctx: Context, actor: Actor, input: CreateToken): Promise<IssuedToken> {
  const { name, format = 'keyward' } = input
  const expiresAt = expiryFrom(input, ctx.clock.now())
  await beforeChange(ctx, actor, () => countCreation(ctx, actor.id))
  return await ownTransaction(ctx, actor, async (tx) => {
    // A new password ends the sessions before it revokes the tokens: no token is created in between.
    await sessions.hold(tx, actor)
    return issueAndRecord(ctx, tx, actor, { id: actor.id, kind: 'pat' }, { name, expiresAt, format })
  })
}

/** Revokes one of the actor's own tokens, at once and everywhere; 404 for any other. */
export const remove = (ctx: Context, actor: Actor, id: string): Promise<void> =>
  ownTransaction(ctx, actor, (tx) => revoke(ctx, tx, actor, { id: actor.id, kind: 'pat' }, id))

/** Creates a token of a principal and writes its audit entry. 409 and 401 as in `issue`. */
export async function issueAndRecord(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  principal: TokenPrincipal,
  values: TokenValues,
): Promise<IssuedToken> {
  const issued = await issue(ctx, tx, actor, principal, values)
  const { id, name, expiresAt } = issued
  await record(ctx, tx, actor, {
    eventType: 'token.created',
    resourceId: id,
    resourceMetadata: { name, expiresAt, ownerId: principal.id },
    newValues: { name, expiresAt },
    description: `${TOKEN_KINDS[principal.kind].noun} "${name}" created.`,
  })
  return issued
}

/**
 * Creates a token of a principal, which is deleted with it; writes no audit entry. 409 beyond `MOST_LIVE_TOKENS`, 401
 * when the principal has just been deleted.
 */
export async function issue(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  principal: TokenPrincipal,
  { name, expiresAt, format }: TokenValues,
): Promise<IssuedToken> {
  const now = ctx.clock.now()
  const identity = await requireRoomForToken(tx, principal, now)
  const token = format === 'phase' ? phaseToken(ctx, principal, identity) : keywardToken(principal)
  const row = await queries.insert(tx, {
    id: randomUUID(),
    organisation_id: actor.organisation.id,
    principal_id: principal.id,
    name: normaliseName(name),
    hash: hashToken(token.bearer),
    format,
    wrapped_key_share: token.wrappedKeyShare,
    created_at: now,
    expires_at: expiresAt,
    created_by: actor.id,
    created_by_name: actor.type === 'service_account' ? actor.name : null,
    responsible_id: actor.responsibleId,
    branch_id: actor.type === 'service_account' ? actor.branchId : null,
  })
  return { ...present(row), token: token.text }
}

async function requireRoomForToken(
  tx: Transaction,
  principal: TokenPrincipal,
  now: Date,
): Promise<StoredIdentity> {
  // Order matters: tokens are counted under the lock.
  const [locked, counted] = await pipelined(
    queries.lockPrincipal(tx, principal.id).execute(),
    queries.countLive(tx, principal.id, now).execute(),
    // Only live tokens are counted: without this, short-lived ones would pile up.
    queries.removeSurplusExpired(tx, principal.id, now, MOST_EXPIRED_TOKENS).execute(),
  )
  const [identity] = locked
  if (identity === undefined) throw unauthenticated()
  const { holder } = TOKEN_KINDS[principal.kind]
  const limit = { holder, most: MOST_LIVE_TOKENS, what: 'live tokens', remedy: 'Revoke one first.' }
  requireRoom(limit, written(counted).count)
  return identity
}

type StoredIdentity = Awaited<ReturnType<typeof queries.lockPrincipal>>[number]

/** `text` is what its creator is shown, `bearer` the part of it that authenticates. */
type NewTokenText = Readonly<{ text: string; bearer: string; wrappedKeyShare: string | null }>

function keywardToken({ kind }: TokenPrincipal): NewTokenText {
  const text = newToken(kind)
  return { text, bearer: text, wrappedKeyShare: null }
}

function phaseToken(ctx: Context, { id, kind }: TokenPrincipal, stored: StoredIdentity): NewTokenText {
  const privateKey = ctx.keys.unwrap('identity-key', stored.wrapped_private_key, privateKeyField(id))
  return newPhaseToken(kind === 'pat' ? 'user' : 'service', { publicKey: stored.identity_key, privateKey })
}
