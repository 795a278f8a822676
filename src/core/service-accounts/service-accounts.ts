import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import type { CountedPage, ListRequest } from '../contract/lists.ts'
import { type IfMatch, requireMatch } from '../etags.ts'
import { canMatch, filteredName, filterOf } from '../filters.ts'
import { accessOf } from '../grants/access.ts'
import type { Room } from '../large-reads.ts'
import { requireRoom } from '../limits.ts'
import { listCounted } from '../pagination.ts'
import { enforce } from '../policy.ts'
import * as principals from '../principals/principals.ts'
import { referredTo as roleReferredTo } from '../roles/roles.ts'
import { found } from '../rows.ts'
import { orderOf, sortKeyIn } from '../sorting.ts'
import { normaliseName } from '../text.ts'
import { present as presentToken } from '../tokens/token.ts'
import { issue } from '../tokens/tokens.ts'
import { changeOrganisation } from '../transactions.ts'
import * as listQueries from './list-queries.ts'
import { SERVICE_ACCOUNT_ORDERS, type ServiceAccountListRow } from './list-queries.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import {
  type CreatedServiceAccount,
  type CreateServiceAccount,
  type ListedServiceAccount,
  present,
  presentListed,
  SERVICE_ACCOUNTS,
  type ServiceAccount,
  type ServiceAccountRow,
  type ServiceAccountWithTokens,
  type UpdateServiceAccount,
} from './service-account.ts'

/** The use cases of what a service account can access. */
export const access = accessOf('service_account', queries.findWithAccess, present)

/** Listing a service account takes about as long as reading so many bytes of secrets, although it is shown in 300. */
const BYTES_EACH = 700

/** The organisation's service accounts that pass the filters, oldest first unless a sort is asked for. */
export async function list(
  ctx: Context,
  actor: Actor,
  request: ListRequest,
  room: Room,
): Promise<CountedPage<ListedServiceAccount>> {
  const filter = filterOf(request)
  const order = orderOf<ServiceAccountListRow>(SERVICE_ACCOUNT_ORDERS, request.sort)
  const organisationId = actor.organisation.id
  const asked = { filter, withTokens: can(actor, 'read', 'ServiceAccountTokens') }
  return listCounted(ctx, request, {
    name: filteredName('service-accounts', filter, order),
    read: (range) =>
      canMatch(filter) ? listQueries.list(ctx.db, organisationId, asked, order, range) : Promise.resolve([]),
    count: () => listQueries.countMatching(ctx.db, organisationId, filter),
    sortKey: sortKeyIn(order),
    present: presentListed,
    large: canMatch(filter) ? { room, bytesEach: BYTES_EACH } : undefined,
  })
}

/** One service account, with its tokens where the actor may read them; 404 when the organisation has none of this id. */
export const get = (ctx: Context, actor: Actor, id: string): Promise<ServiceAccountWithTokens> =>
  shown(ctx.db, actor, id)

async function shown(db: Queryable, actor: Actor, id: string): Promise<ServiceAccountWithTokens> {
  if (!can(actor, 'read', 'ServiceAccountTokens')) return present(await existing(db, actor, id))
  const rows = await queries.findWithTokens(db, actor.organisation.id, id)
  const [account] = rows
  return { ...present(found(account, 'Service account')), tokens: queries.tokensIn(rows).map(presentToken) }
}

/**
 * Creates a service account with an identity key and a first token, whose text is shown only now. 404 for an unknown
 * role, 400 for one with global access, 403 for one with a permission that the actor lacks, 409 beyond
 * `SERVICE_ACCOUNTS`.
 */
export const create = (
  ctx: Context,
  actor: Actor,
  input: CreateServiceAccount,
): Promise<CreatedServiceAccount> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const organisationId = actor.organisation.id
    const role = await roleReferredTo(tx, actor, input.role_id)
    enforce(policy.assignRole, { actor, role })
    requireRoom(SERVICE_ACCOUNTS, await queries.count(tx, organisationId))
    const now = ctx.clock.now()
    const id = await principals.createPrincipal(ctx, tx, { organisationId, type: 'service_account', role })
    const account = await queries.insert(tx, {
      id,
      organisation_id: organisationId,
      name: normaliseName(input.name),
      created_at: now,
      updated_at: now,
    })
    const { token_name: tokenName = 'Initial token', token_format: format = 'keyward' } = input
    const tokenValues = { name: tokenName, expiresAt: null, format }
    const initialToken = await issue(ctx, tx, actor, { id, kind: 'sat' }, tokenValues)
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
 * Changes a service account's name or role. A new role is checked as at creation; the same name and role write nothing.
 * 404 for an unknown service account or role, 412 unless `ifMatch` names the service account as it is.
 */
export const update = (
  ctx: Context,
  actor: Actor,
  id: string,
  input: UpdateServiceAccount,
  ifMatch: IfMatch = null,
): Promise<ServiceAccount> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const before = await existing(tx, actor, id)
    await requireMatch(ifMatch, () => shown(tx, actor, id))
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

/**
 * Deletes a service account with its keys, grants and tokens, and cancels the pending invites that it sent. 412 unless
 * `ifMatch` names it as it is.
 */
export const remove = (ctx: Context, actor: Actor, id: string, ifMatch: IfMatch = null): Promise<void> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const account = await existing(tx, actor, id)
    await requireMatch(ifMatch, () => shown(tx, actor, id))
    const { tokens } = await principals.remove(ctx, tx, actor, account.id)
    await record(ctx, tx, actor, {
      eventType: 'service_account.deleted',
      resourceId: account.id,
      resourceMetadata: { name: account.name },
      oldValues: { ...rowValues(account), tokens },
      description: `Service account "${account.name}" deleted.`,
    })
  })

/** The service account of this id; 404 when the organisation has none. */
export const existing = async (db: Queryable, actor: Actor, id: string): Promise<ServiceAccountRow> =>
  found(await queries.find(db, actor.organisation.id, id), 'Service account')

const rowValues = (account: ServiceAccountRow) => ({
  name: account.name,
  role: { id: account.role_id, name: account.role_name },
})
