import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import { can } from '../access.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import type { CountedPage, ListRequest } from '../contract/lists.ts'
import { type IfMatch, requireMatch } from '../etags.ts'
import { filteredName, filterOf } from '../filters.ts'
import { removeExpired } from '../invites/closing.ts'
import { requireRoom } from '../limits.ts'
import { requireFreeName } from '../names.ts'
import { listCounted } from '../pagination.ts'
import { permissionsOf } from '../permissions.ts'
import { enforce } from '../policy.ts'
import { found } from '../rows.ts'
import { orderOf, sortKeyIn } from '../sorting.ts'
import { nameKey } from '../text.ts'
import { changeOrganisation } from '../transactions.ts'
import * as listQueries from './list-queries.ts'
import { ROLE_ORDERS, type RoleListRow } from './list-queries.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import {
  type CreateRole,
  CUSTOM_ROLES,
  inputValues,
  type ListedRole,
  present,
  presentListed,
  type Role,
  type RoleRow,
  type RoleValues,
  type UpdateRole,
} from './role.ts'

/**
 * The organisation's roles that pass the filters, without their permissions: the five defaults, then the custom ones, oldest
 * first, unless a sort is asked for.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  request: Omit<ListRequest, 'role_id'>,
): Promise<CountedPage<ListedRole>> {
  const filter = filterOf(request)
  const order = orderOf<RoleListRow>(ROLE_ORDERS, request.sort)
  const organisationId = actor.organisation.id
  const counted = {
    members: can(actor, 'read', 'Members'),
    serviceAccounts: can(actor, 'read', 'ServiceAccounts'),
  }
  return listCounted(ctx, request, {
    name: filteredName('roles', filter, order),
    read: (range) => listQueries.list(ctx.db, organisationId, { filter, counted }, order, range),
    count: () => listQueries.count(ctx.db, organisationId, filter),
    sortKey: sortKeyIn(order),
    present: presentListed,
  })
}

/** One role with its permissions; 404 when the organisation has no such role. */
export const get = async (ctx: Context, actor: Actor, id: string): Promise<Role> =>
  present(await existing(ctx.db, actor, id))

/**
 * Creates a custom role. 403 for permissions that the actor lacks, 409 for a name that is taken and beyond
 * `CUSTOM_ROLES`.
 */
export const create = (ctx: Context, actor: Actor, input: CreateRole): Promise<Role> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const values = { description: null, color: '', ...inputValues(input) } as RoleValues
    enforce(policy.create, { actor, permissions: values.permissions })
    await requireFreeName(tx, 'roles', actor.organisation.id, values.name)
    requireRoom(CUSTOM_ROLES, await queries.countCustom(tx, actor.organisation.id))
    const now = ctx.clock.now()
    const row = await queries.insert(tx, {
      id: randomUUID(),
      organisation_id: actor.organisation.id,
      kind: 'custom',
      name_key: nameKey(values.name),
      ...values,
      created_at: now,
      updated_at: now,
    })
    await record(ctx, tx, actor, {
      eventType: 'role.created',
      resourceId: row.id,
      resourceMetadata: { name: row.name },
      newValues: rowValues(row),
      description: `Role "${row.name}" created.`,
    })
    return present(row)
  })

/**
 * Changes a custom role; fields that were not sent keep their values. 403 for a default role and, without global access,
 * for the actor's own role and for permissions that the actor lacks; 409 for a name that is taken; 412 unless `ifMatch`
 * names the role as it is.
 */
export const update = (
  ctx: Context,
  actor: Actor,
  id: string,
  input: UpdateRole,
  ifMatch: IfMatch = null,
): Promise<Role> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const row = await existing(tx, actor, id)
    enforce(policy.update, { actor, role: row })
    await requireMatch(ifMatch, () => present(row))
    const before = rowValues(row)
    const after: RoleValues = { ...before, ...inputValues(input) }
    enforce(policy.changePermissions, { actor, before: before.permissions, after: after.permissions })
    await requireFreeName(tx, 'roles', actor.organisation.id, after.name, row.id)
    if (isDeepStrictEqual(before, after)) return present(row)
    const stored = await queries.update(tx, row.id, nameKey(after.name), after, ctx.clock.now())
    await record(ctx, tx, actor, {
      eventType: 'role.updated',
      resourceId: row.id,
      resourceMetadata: { name: stored.name },
      oldValues: before,
      newValues: rowValues(stored),
      description: `Role "${stored.name}" changed.`,
    })
    return present(stored)
  })

/**
 * Deletes a custom role. 403 for a default role, 409 while a member, service account or pending invite has it, 412 unless
 * `ifMatch` names it as it is.
 */
export const remove = (ctx: Context, actor: Actor, id: string, ifMatch: IfMatch = null): Promise<void> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const row = await existing(tx, actor, id)
    enforce(policy.remove, { role: row })
    await requireMatch(ifMatch, () => present(row))
    await removeExpired(tx, actor.organisation.id, ctx.clock.now())
    enforce(policy.removeHeld, await queries.countHolders(tx, actor.organisation.id, row.id))
    await queries.remove(tx, row.id)
    await record(ctx, tx, actor, {
      eventType: 'role.deleted',
      resourceId: row.id,
      resourceMetadata: { name: row.name },
      oldValues: rowValues(row),
      description: `Role "${row.name}" deleted.`,
    })
  })

/** The role that a body names by its id; 404 with the id when the organisation has none. */
export const referredTo = async (db: Queryable, actor: Actor, id: string): Promise<RoleRow> =>
  found(await queries.find(db, actor.organisation.id, id), 'Role', id)

const existing = async (db: Queryable, actor: Actor, id: string): Promise<RoleRow> =>
  found(await queries.find(db, actor.organisation.id, id), 'Role')

const rowValues = (row: RoleRow): RoleValues => ({
  name: row.name,
  description: row.description,
  color: row.color,
  permissions: permissionsOf(row.kind, row.permissions),
})
