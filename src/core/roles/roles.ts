import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import type { Page, PageRequest } from '../contract/lists.ts'
import { type IfMatch, requireMatch } from '../etags.ts'
import { closeExpired } from '../invites/closing.ts'
import { requireRoom } from '../limits.ts'
import { requireFreeName } from '../names.ts'
import { pageRange, toPage } from '../pagination.ts'
import { permissionsOf } from '../permissions.ts'
import { enforce } from '../policy.ts'
import { found } from '../rows.ts'
import { nameKey } from '../text.ts'
import { changeOrganisation } from '../transactions.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import {
  type CreateRole,
  CUSTOM_ROLES,
  inputValues,
  present,
  presentSummary,
  type Role,
  type RoleRow,
  type RoleSummaryRow,
  type RoleValues,
  type UpdateRole,
} from './role.ts'

/** The organisation's roles without their permissions: the five defaults, then the custom ones, oldest first. */
export async function list(
  ctx: Context,
  actor: Actor,
  request: PageRequest,
): Promise<Page<Omit<Role, 'permissions'>>> {
  const range = pageRange(ctx, 'roles', request)
  const rows = await queries.list(ctx.db, actor.organisation.id, range)
  return toPage(ctx, 'roles', range, rows, sortKey, presentSummary)
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
    await closeExpired(tx, actor.organisation.id, ctx.clock.now())
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

const sortKey = (row: RoleSummaryRow) => [String(row.position), row.created_at.toISOString(), row.id]

const existing = async (db: Queryable, actor: Actor, id: string): Promise<RoleRow> =>
  found(await queries.find(db, actor.organisation.id, id), 'Role')

const rowValues = (row: RoleRow): RoleValues => ({
  name: row.name,
  description: row.description,
  color: row.color,
  permissions: permissionsOf(row.kind, row.permissions),
})
