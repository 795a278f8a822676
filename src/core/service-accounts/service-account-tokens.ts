import type { Context } from '../../context.ts'
import { actorHasGlobalAccess } from '../access.ts'
import type { Actor } from '../actor.ts'
import { creationOrder, type Page, type PageRequest, pageRange, toPage } from '../pagination.ts'
import { enforce } from '../policy.ts'
import { found } from '../rows.ts'
import { type CreateToken, expiryFrom, type IssuedToken, present, type Token } from '../tokens/token.ts'
import { issue, recordCreated, revoke, type TokenPrincipal } from '../tokens/tokens.ts'
import { changeOrganisation, transaction } from '../transactions.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** The tokens of a service account, oldest first, also those that have expired; 404 when there is no such account. */
export async function list(
  ctx: Context,
  actor: Actor,
  accountId: string,
  request: PageRequest,
): Promise<Page<Token>> {
  const name = `tokens/${accountId}`
  const window = pageRange(ctx, name, request)
  const rows = await queries.findWithTokens(ctx.db, actor.organisation.id, accountId, window)
  found(rows[0], 'Service account')
  return toPage(ctx, name, window, queries.tokensIn(rows), creationOrder, present)
}

/**
 * Creates a token of a service account. It depends on roles and grants, so it is a change of the organisation.
 * 400 for an expiry that is past or absurd, 404 for an unknown account, 403 where the account may or reaches more than
 * the caller, 409 for more tokens than an account can have.
 */
export const create = (
  ctx: Context,
  caller: Actor,
  accountId: string,
  input: CreateToken,
): Promise<IssuedToken> => {
  const expiresAt = expiryFrom(input, ctx.clock.now())
  return changeOrganisation(ctx, caller, async (tx, actor) => {
    const account = found(await queries.find(tx, actor.organisation.id, accountId), 'Service account')
    const reachesMore = !actorHasGlobalAccess(actor) && (await queries.reachesMore(tx, account.id, actor.id))
    const role = { kind: account.role_kind, permissions: account.role_permissions }
    enforce(policy.createToken, { actor, role, reachesMore })
    const owner: TokenPrincipal = { id: account.id, kind: 'sat' }
    const issued = await issue(ctx, tx, actor, owner, { name: input.name, expiresAt })
    await recordCreated(ctx, tx, actor, owner, issued)
    return issued
  })
}

/** Revokes a token of a service account, at once and everywhere; 404 when there is no such account or token. */
export const remove = (ctx: Context, actor: Actor, accountId: string, tokenId: string): Promise<void> =>
  transaction(ctx, async (tx) => {
    const account = found(await queries.find(tx, actor.organisation.id, accountId), 'Service account')
    await revoke(ctx, tx, actor, { id: account.id, kind: 'sat' }, tokenId)
  })
