import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { countOf, findById, written } from '../rows.ts'
import type { Row } from '../tables.ts'
import type { Holders } from './policy.ts'
import type { RoleRow, RoleValues } from './role.ts'

const columns = (db: Queryable) =>
  db`id, kind, position, name, name_key, description, color, permissions, created_at`

/** One role of the organisation; undefined when there is none, also for a malformed id. */
export const find = (db: Queryable, organisationId: string, id: string): Promise<RoleRow | undefined> =>
  findById(
    id,
    () => db<RoleRow[]>`
      select ${columns(db)} from roles where organisation_id = ${organisationId} and id = ${id}`,
  )

/** How many custom roles the organisation has. */
export const countCustom = (tx: Transaction, organisationId: string): Promise<number> =>
  countOf(tx`
    select count(*)::int as count from roles where organisation_id = ${organisationId} and kind = 'custom'`)

/** How many members, service accounts and pending invites have a role. */
export const countHolders = async (db: Queryable, organisationId: string, id: string): Promise<Holders> =>
  written(
    await db<Holders[]>`
      select
        (select count(*)::int from principals where organisation_id = ${organisationId} and role_id = ${id} and type = 'member') as members,
        (select count(*)::int from principals where organisation_id = ${organisationId} and role_id = ${id} and type = 'service_account') as "serviceAccounts",
        (select count(*)::int from invites where organisation_id = ${organisationId} and role_id = ${id}) as invites`,
  )

/** A new role. */
export type NewRole = Omit<RoleRow, 'position'> & Row<'roles', 'organisation_id' | 'updated_at'>

/** Stores a new role; gives it as it is stored. */
export const insert = async (tx: Transaction, role: NewRole): Promise<RoleRow> => {
  const permissions = role.permissions === null ? null : tx.json(role.permissions as never)
  return written(
    await tx<RoleRow[]>`insert into roles ${tx({ ...role, permissions })} returning ${columns(tx)}`,
  )
}

/** Replaces the values of a custom role; gives it as it is stored. */
export const update = async (
  tx: Transaction,
  id: string,
  nameKey: string,
  values: RoleValues,
  at: Date,
): Promise<RoleRow> =>
  written(
    await tx<RoleRow[]>`
      update roles set name = ${values.name}, name_key = ${nameKey}, description = ${values.description},
        color = ${values.color}, permissions = ${tx.json(values.permissions as never)}, updated_at = ${at}
      where id = ${id}
      returning ${columns(tx)}`,
  )

/** Deletes a role; the database refuses it while the role is in use. */
export const remove = (tx: Transaction, id: string) => tx`delete from roles where id = ${id}`
