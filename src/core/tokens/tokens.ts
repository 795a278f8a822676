import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/database.ts'
import type { Actor } from '../actor.ts'
import { type AuditEvent, record } from '../audit/audit.ts'
import * as sessions from '../auth/sessions.ts'
import { notFound } from '../errors.ts'
import { byAge, type Page, type PageRequest, pageOf, windowOf } from '../pagination.ts'
import { normaliseName } from '../text.ts'
import { transaction } from '../transactions.ts'
import { hashBearer, newBearer } from './bearer.ts'
import * as queries from './queries.ts'
import {
  type CreateToken,
  expiryFrom,
  type IssuedToken,
  present,
  type Token,
  type TokenRow,
} from './token.ts'

/** Whoever a token stands for: a member (`pat`) or a service account (`sat`), by its id. */
export type TokenOwner = Readonly<{ id: string; kind: 'pat' | 'sat' }>

/** The caller's own personal access tokens, oldest first, also those that have expired. */
export async function list(ctx: Context, actor: Actor, request: PageRequest): Promise<Page<Token>> {
  const name = `tokens/${actor.id}`
  const window = windowOf(ctx, name, request)
  const rows = await queries.list(ctx.db, actor.id, window)
  return pageOf(ctx, name, window, rows, byAge, present)
}

/**
 * Creates a personal access token of the caller's own, unless the session has ended meanwhile (401). 400 for an expiry
 * that is past or absurd.
 */
export const create = (ctx: Context, actor: Actor, input: CreateToken): Promise<IssuedToken> => {
  const expiresAt = expiryFrom(input, ctx.clock.now())
  return transaction(ctx, async (tx) => {
    // A new password ends the sessions before it revokes the tokens: none comes into being in between.
    await sessions.hold(tx, actor)
    const owner: TokenOwner = { id: actor.id, kind: 'pat' }
    const issued = await issue(ctx, tx, actor, owner, { name: input.name, expiresAt })
    await recordCreated(ctx, tx, actor, owner, issued)
    return issued
  })
}

/** Revokes one of the caller's own tokens, at once and everywhere; 404 for anybody else's. */
export const remove = (ctx: Context, actor: Actor, id: string): Promise<void> =>
  transaction(ctx, (tx) => revoke(ctx, tx, actor, { id: actor.id, kind: 'pat' }, id))

/** Makes a token for its owner, of whom it is part whatever comes; writes no audit entry. */
export async function issue(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  owner: TokenOwner,
  values: { name: string; expiresAt: Date | null },
): Promise<IssuedToken> {
  const token = newBearer(owner.kind)
  const row: TokenRow = {
    id: randomUUID(),
    name: normaliseName(values.name),
    created_at: ctx.clock.now(),
    expires_at: values.expiresAt,
    last_used_at: null,
  }
  await queries.insert(tx, {
    ...row,
    organisation_id: actor.organisation.id,
    principal_id: owner.id,
    hash: hashBearer(token),
  })
  return { ...present(row), token }
}

/** Writes the entry of a token that was created by itself, rather than with its owner. */
export const recordCreated = (
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  owner: TokenOwner,
  { id, name, expiresAt }: Token,
): Promise<void> =>
  record(ctx, tx, actor, {
    eventType: 'token.created',
    resourceType: 'token',
    resourceId: id,
    resourceMetadata: { name, expiresAt, ownerId: owner.id },
    newValues: { name, expiresAt },
    description: `${KIND[owner.kind]} "${name}" created.`,
  })

/** Deletes a token of its owner and writes the entry; 404 when the owner has no such token. */
export async function revoke(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  owner: TokenOwner,
  id: string,
): Promise<void> {
  const row = await queries.remove(tx, owner.id, id)
  if (row === undefined) throw notFound('Token')
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

function deletion(owner: TokenOwner, row: TokenRow): AuditEvent {
  const { name, expiresAt } = present(row)
  return {
    eventType: 'token.deleted',
    resourceType: 'token',
    resourceId: row.id,
    resourceMetadata: { name, expiresAt, ownerId: owner.id },
    oldValues: { name, expiresAt },
    description: `${KIND[owner.kind]} "${name}" deleted.`,
  }
}

const KIND = { pat: 'Personal access token', sat: 'Service account token' } as const
