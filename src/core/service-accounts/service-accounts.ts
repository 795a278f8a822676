import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { cancelSentBy } from '../invites/closing.ts'
import { requireRoom } from '../limits.ts'
import { creationOrder, type Page, type PageRequest, pageRange, toPage } from '../pagination.ts'
import { enforce } from '../policy.ts'
import * as principals from '../principals/principals.ts'
import { referredTo as roleReferredTo } from '../roles/roles.ts'
import { found } from '../rows.ts'
import { normaliseName } from '../text.ts'
import { present as presentToken } from '../tokens/token.ts'
import { issue } from '../tokens/tokens.ts'
import { changeOrganisation } from '../transactions.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import {
  type CreatedServiceAccount,
  type CreateServiceAccount,
  present,
  SERVICE_ACCOUNTS,
  type ServiceAccount,
  type ServiceAccountRow,
  type ServiceAccountWithTokens,
  type UpdateServiceAccount,
} from './service-account.ts'

/** The organisation's service accounts, oldest first. */
export async function list(ctx: Context, actor: Actor, request: PageRequest): Promise<Page<ServiceAccount>> {
  const window = pageRange(ctx, 'service-accounts', request)
  const rows = await queries.list(ctx.db, actor.organisation.id, window)
  return toPage(ctx, 'service-accounts', window, rows, creationOrder, present)
}

/** One service account, with its tokens where the caller may read those; 404 when there is no such account. */
export async function get(ctx: Context, actor: Actor, id: string): Promise<ServiceAccountWithTokens> {
  if (!can(actor, 'read', 'ServiceAccountTokens')) return present(await existing(ctx.db, actor, id))
  const rows = await queries.findWithTokens(ctx.db, actor.organisation.id, id)
  const [account] = rows
  return { ...present(found(account, 'Service account')), tokens: queries.tokensIn(rows).map(presentToken) }
}

/**
 * Creates a service account with an identity key and a first token, which is shown this once. 404 for an unknown role,
 * 400 for one with global access, 403 for one that allows more than the caller's own, 409 beyond
 * `SERVICE_ACCOUNTS`.
 */
export const create = (
  ctx: Context,
  caller: Actor,
  input: CreateServiceAccount,
): Promise<CreatedServiceAccount> =>
  changeOrganisation(ctx, caller, async (tx, actor) => {
    const role = await roleReferredTo(tx, actor, input.role_id)
    enforce(policy.assignRole, { actor, role })
    requireRoom(SERVICE_ACCOUNTS, await queries.count(tx, actor.organisation.id))
    const now = ctx.clock.now()
    const organisationId = actor.organisation.id
    const id = randomUUID()
    await principals.createPrincipal(ctx, tx, { id, organisationId, type: 'service_account', role })
    const account = await queries.insert(tx, {
      id,
      organisation_id: organisationId,
      name: normaliseName(input.name),
      created_at: now,
      updated_at: now,
    })
    const initialToken = await issue(
      ctx,
      tx,
      actor,
      { id: account.id, kind: 'sat' },
      { name: input.token_name ?? 'Initial token', expiresAt: null },
    )
    await record(ctx, tx, actor, {
      eventType: 'service_account.created',
      resourceId: account.id,
      resourceMetadata: { name: account.name },
      newValues: {
        ...rowValues(account),
        initialToken: { id: initialToken.id, name: initialToken.name },
      },
      description: `Service account "${account.name}" created with role "${account.role_name}".`,
    })
    return { ...present(account), initialToken }
  })

/**
 * Changes a service account's name or role. A new role is judged as at creation; the role and name already held change
 * nothing. 404 when there is no such account or role.
 */
export const update = (
  ctx: Context,
  caller: Actor,
  id: string,
  input: UpdateServiceAccount,
): Promise<ServiceAccount> =>
  changeOrganisation(ctx, caller, async (tx, actor) => {
    const before = await existing(tx, actor, id)
    const role = input.role_id === undefined ? null : await roleReferredTo(tx, actor, input.role_id)
    const newRole = role === null || role.id === before.role_id ? null : role
    if (newRole !== null) enforce(policy.assignRole, { actor, role: newRole })
    const name = input.name === undefined ? before.name : normaliseName(input.name)
    if (newRole === null && name === before.name) return present(before)

    const principal = { id: before.id, organisationId: actor.organisation.id }
    if (newRole !== null) await principals.changeRole(ctx, tx, principal, before.role_kind, newRole)
    const after = await queries.update(tx, before.id, name, ctx.clock.now())
    await record(ctx, tx, actor, {
      eventType: 'service_account.updated',
      resourceId: after.id,
      resourceMetadata: { name: after.name },
      oldValues: rowValues(before),
      newValues: rowValues(after),
      description: `Service account "${after.name}" changed.`,
    })
    return present(after)
  })

/** Deletes a service account: its keys, grants, tokens and the invites that it sent are gone with it. */
export const remove = (ctx: Context, caller: Actor, id: string): Promise<void> =>
  changeOrganisation(ctx, caller, async (tx, actor) => {
    const account = await existing(tx, actor, id)
    const sender = { id: account.id, organisationId: actor.organisation.id }
    await cancelSentBy(tx, sender, ctx.clock.now())
    await principals.remove(tx, account.id)
    await record(ctx, tx, actor, {
      eventType: 'service_account.deleted',
      resourceId: account.id,
      resourceMetadata: { name: account.name },
      oldValues: rowValues(account),
      description: `Service account "${account.name}" deleted.`,
    })
  })

async function existing(db: Queryable, actor: Actor, id: string): Promise<ServiceAccountRow> {
  return found(await queries.find(db, actor.organisation.id, id), 'Service account')
}

const rowValues = (account: ServiceAccountRow) => ({
  name: account.name,
  role: { id: account.role_id, name: account.role_name },
})
