import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import type { AuditEvent } from '../audit/events.ts'
import { limitReached, notFound, unauthenticated } from '../errors.ts'
import { creationOrder, type Page, type PageRequest, pageRange, toPage } from '../pagination.ts'
import * as sessions from '../sessions/sessions.ts'
import { normaliseName } from '../text.ts'
import { pipelined, transaction } from '../transactions.ts'
import * as queries from './queries.ts'
import {
  type CreateToken,
  expiryFrom,
  type IssuedToken,
  MOST_LIVE_TOKENS,
  present,
  type Token,
} from './token.ts'
import { hashToken, newToken } from './token-text.ts'

/** Whoever a token stands for: a member (`pat`) or a service account (`sat`), by its id. */
export type TokenPrincipal = Readonly<{ id: string; kind: 'pat' | 'sat' }>

/** The caller's own personal access tokens, oldest first, also those that have expired. */
export async function list(ctx: Context, actor: Actor, request: PageRequest): Promise<Page<Token>> {
  const name = `tokens/${actor.id}`
  const window = pageRange(ctx, name, request)
  const rows = await queries.list(ctx.db, actor.id, window)
  return toPage(ctx, name, window, rows, creationOrder, present)
}

/**
 * Creates a personal access token of the caller's own, unless the session has ended meanwhile (401). 400 for an expiry
 * that is past or absurd, 409 beyond `MOST_LIVE_TOKENS`.
 */
export const create = (ctx: Context, actor: Actor, input: CreateToken): Promise<IssuedToken> => {
  const expiresAt = expiryFrom(input, ctx.clock.now())
  return transaction(ctx, async (tx) => {
    // A new password ends the sessions before it revokes the tokens: none comes into being in between.
    await sessions.hold(tx, actor)
    const owner: TokenPrincipal = { id: actor.id, kind: 'pat' }
    const issued = await issue(ctx, tx, actor, owner, { name: input.name, expiresAt })
    await recordCreated(ctx, tx, actor, owner, issued)
    return issued
  })
}

/** Revokes one of the caller's own tokens, at once and everywhere; 404 for anybody else's. */
export const remove = (ctx: Context, actor: Actor, id: string): Promise<void> =>
  transaction(ctx, (tx) => revoke(ctx, tx, actor, { id: actor.id, kind: 'pat' }, id))

/**
 * Makes a token for its owner, of whom it is part whatever comes; writes no audit entry. 409 beyond `MOST_LIVE_TOKENS`,
 * 401 when the owner has just gone.
 */
export async function issue(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  owner: TokenPrincipal,
  values: { name: string; expiresAt: Date | null },
): Promise<IssuedToken> {
  const now = ctx.clock.now()
  await requireRoom(tx, owner, now)
  const token = newToken(owner.kind)
  const row = await queries.insert(tx, {
    id: randomUUID(),
    organisation_id: actor.organisation.id,
    principal_id: owner.id,
    name: normaliseName(values.name),
    hash: hashToken(token),
    created_at: now,
    expires_at: values.expiresAt,
    created_by: actor.id,
    created_by_name: actor.type === 'service_account' ? actor.name : null,
  })
  return { ...present(row), token }
}

/** Writes the entry of a token that was created by itself, rather than with its owner. */
export const recordCreated = (
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  owner: TokenPrincipal,
  { id, name, expiresAt }: Token,
): Promise<void> =>
  record(ctx, tx, actor, {
    eventType: 'token.created',
    resourceId: id,
    resourceMetadata: { name, expiresAt, ownerId: owner.id },
    newValues: { name, expiresAt },
    description: `${KIND[owner.kind]} "${name}" created.`,
  })

/**
 * Deletes a token of its owner and writes the entry. 404 when the owner has no such token, 401 when it is the one that
 * the caller came with: somebody else has just revoked it.
 */
export async function revoke(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  owner: TokenPrincipal,
  id: string,
): Promise<void> {
  const row = await queries.remove(tx, owner.id, id)
  if (row === undefined) throw isOwn(actor, owner, id) ? unauthenticated() : notFound('Token')
  await record(ctx, tx, actor, deletion(owner, row))
}

/**
 * Deletes every personal access token of a person's live membership, has an entry written for each, and tells how many
 * they were. The caller's transaction has ended the person's sessions before, so that none of them makes another.
 */
export async function revokeAllOf(
  tx: Transaction,
  userId: string,
  write: (event: AuditEvent) => Promise<void>,
): Promise<number> {
  const rows = await queries.removeAllOf(tx, userId)
  for (const row of rows) await write(deletion({ id: row.principal_id, kind: 'pat' }, row))
  return rows.length
}

function deletion(owner: TokenPrincipal, row: queries.RevokedToken): AuditEvent {
  const { name } = row
  const expiresAt = row.expires_at?.toISOString() ?? null
  return {
    eventType: 'token.deleted',
    resourceId: row.id,
    resourceMetadata: { name, expiresAt, ownerId: owner.id },
    oldValues: { name, expiresAt },
    description: `${KIND[owner.kind]} "${name}" deleted.`,
  }
}

const isOwn = ({ id: callerId, credential }: Actor, owner: TokenPrincipal, id: string): boolean =>
  owner.id === callerId && credential.kind === 'token' && credential.id === id.toLowerCase()

async function requireRoom(tx: Transaction, owner: TokenPrincipal, now: Date): Promise<void> {
  // In this order: tokens are counted once the owner's row is held.
  const lock = queries.lockPrincipal(tx, owner.id).execute()
  const [held, counted] = await pipelined(lock, queries.countLive(tx, owner.id, now).execute())
  if (held.length === 0) throw unauthenticated()
  if ((counted[0]?.count ?? 0) < MOST_LIVE_TOKENS) return
  const holder = owner.kind === 'pat' ? 'You' : 'A service account'
  throw limitReached(holder, MOST_LIVE_TOKENS, 'live tokens', 'Revoke one first.')
}

const KIND = { pat: 'Personal access token', sat: 'Service account token' } as const
