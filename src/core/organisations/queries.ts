import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import { type Prefixed, written } from '../rows.ts'
import type { Row } from '../tables.ts'
import type { OrganisationRow } from './organisation.ts'

/** One organisation by its id. */
export const find = (db: Queryable, id: string) =>
  db<OrganisationRow[]>`select id, name, created_at, updated_at from organisations where id = ${id}`

/** Renames an organisation; gives it as it is stored. */
export const rename = async (tx: Transaction, id: string, name: string, at: Date): Promise<OrganisationRow> =>
  written(
    await tx<OrganisationRow[]>`
      update organisations set name = ${name}, updated_at = ${at} where id = ${id}
      returning id, name, created_at, updated_at`,
  )

/** Stores a new organisation. */
export const insert = (tx: Transaction, organisation: OrganisationRow) =>
  tx`insert into organisations ${tx(organisation)}`

type NewRole = Row<
  'roles',
  'id' | 'organisation_id' | 'kind' | 'name' | 'name_key' | 'created_at' | 'updated_at'
>

/** Stores the default roles of a new organisation. */
export const insertRoles = (tx: Transaction, roles: readonly NewRole[]) =>
  tx`insert into roles ${tx(roles as NewRole[])}`

/** Makes an organisation the one that the deployment serves, unless there is one. */
export const serveOrganisation = (tx: Transaction, organisationId: string) =>
  tx`update deployment set organisation_id = ${organisationId} where organisation_id is null`

/** The organisation's Owner and Admin roles, which every organisation has. */
export async function findOwnerAndAdminRoles(tx: Transaction, organisationId: string) {
  const roles = await tx<Row<'roles', 'id' | 'kind'>[]>`
    select id, kind from roles where organisation_id = ${organisationId} and kind in ('owner', 'admin')`
  const owner = written(roles.filter(({ kind }) => kind === 'owner'))
  const admin = written(roles.filter(({ kind }) => kind === 'admin'))
  return { owner, admin }
}

/** A member with its user and role. */
export type OwnerRow = Row<'members', 'id' | 'user_id'> &
  Row<'users', 'email' | 'full_name'> &
  Prefixed<'role_', Row<'roles', 'id' | 'kind' | 'name'>>

/** The organisation's Owner. */
export const findOwner = (db: Queryable, organisationId: string) => db<OwnerRow[]>`
  select m.id, m.user_id, u.email, u.full_name, r.id as role_id, r.kind as role_kind, r.name as role_name
  from principals p
  join members m on m.principal_id = p.id
  join users u on u.id = m.user_id
  join roles r on r.id = p.role_id
  where p.organisation_id = ${organisationId} and p.role_kind = 'owner'`
