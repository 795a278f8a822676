import type { Context } from '../../context.ts'
import { actorHasGlobalAccess } from '../access.ts'
import type { Actor } from '../actor.ts'
import type { CountedPage, PageRequest } from '../contract/lists.ts'
import type { PageRange } from '../pagination.ts'
import { enforce } from '../policy.ts'
import { found } from '../rows.ts'
import { revoke } from '../tokens/revocation.ts'
import { type CreateToken, expiryFrom, type IssuedToken, type Token } from '../tokens/token.ts'
import { issueAndRecord, listOf } from '../tokens/tokens.ts'
import { changeOrganisation, ownTransaction } from '../transactions.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import { existing } from './service-accounts.ts'

/** The tokens of a service account, oldest first, expired ones included; 404 for an unknown service account. */
export const list = (
  ctx: Context,
  actor: Actor,
  accountId: string,
  request: PageRequest,
): Promise<CountedPage<Token>> => {
  const read = async (range: PageRange) => {
    const rows = await queries.findWithTokens(ctx.db, actor.organisation.id, accountId, range)
    found(rows[0], 'Service account')
    return queries.tokensIn(rows)
  }
  return listOf(ctx, accountId, request, read)
}

/**
 * Creates a token of a service account. It depends on roles and grants, so it takes the organisation's lock. 400 for an
 * expiry in the past or too far ahead, 404 for an unknown service account, 403 for one with permissions or environments
 * that the actor lacks, 409 beyond `MOST_LIVE_TOKENS`.
 */
export const create = (
  ctx: Context,
  actor: Actor,
  accountId: string,
  input: CreateToken,
): Promise<IssuedToken> => {
  const { name, format = 'keyward' } = input
  const expiresAt = expiryFrom(input, ctx.clock.now())
  return changeOrganisation(ctx, actor, async (tx, actor) => {
    const account = await existing(tx, actor, accountId)
    const canAccessMore =
      !actorHasGlobalAccess(actor) && (await queries.canAccessMore(tx, account.id, actor.id))
    const role = { kind: account.role_kind, permissions: account.role_permissions }
    enforce(policy.createToken, { actor, role, canAccessMore })
    return issueAndRecord(ctx, tx, actor, { id: account.id, kind: 'sat' }, { name, expiresAt, format })
  })
}

/** Revokes a token of a service account, at once and everywhere; 404 for an unknown service account or token. */
export const remove = (ctx: Context, actor: Actor, accountId: string, tokenId: string): Promise<void> =>
  ownTransaction(ctx, actor, async (tx) => {
    const account = await existing(tx, actor, accountId)
    await revoke(ctx, tx, actor, { id: account.id, kind: 'sat' }, tokenId)
  })
