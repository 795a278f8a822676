import type { Queryable } from '../../platform/postgres/database.ts'
import type { RoleRow } from '../roles/role.ts'
import type { Row } from '../tables.ts'

type RoleAndOrganisation = RoleRow & Readonly<{ organisation_name: string }>

/** The role that a principal holds now, and its organisation's name; undefined when the principal is gone. */
export const findRoleAndOrganisation = async (
  db: Queryable,
  principalId: string,
): Promise<RoleAndOrganisation | undefined> =>
  (
    await db<RoleAndOrganisation[]>`
      select r.id, r.kind, r.position, r.name, r.name_key, r.description, r.color, r.permissions, r.created_at,
        o.name as organisation_name
      from principals p join roles r on r.id = p.role_id join organisations o on o.id = p.organisation_id
      where p.id = ${principalId}`
  )[0]

type KeyCopy = Row<'environment_keys', 'app_id' | 'environment_id' | 'wrapped_seed' | 'wrapped_salt'> &
  Row<'environments', 'public_key'>

type KeysRow = Row<'principals', 'identity_key' | 'wrapped_private_key'> &
  (KeyCopy | Readonly<{ environment_id: null }>)

/**
 * A principal's own keys, repeated beside each of its copies of environment keys, by the app's name and then the
 * environment's index. Without copies one row whose `environment_id` is null; none when the principal is gone.
 */
export const keysOf = (db: Queryable, principalId: string) =>
  db<KeysRow[]>`
    select p.identity_key, p.wrapped_private_key,
      e.app_id, e.id as environment_id, e.public_key, k.wrapped_seed, k.wrapped_salt
    from principals p
    left join environment_keys k on k.principal_id = p.id
    left join environments e on e.id = k.environment_id
    left join apps a on a.id = e.app_id
    where p.id = ${principalId}
    order by a.name_key, a.id, e.index`

/** How many copies of environment keys a principal has. */
export const countKeyCopies = async (db: Queryable, principalId: string): Promise<number> =>
  (
    await db<{ count: number }[]>`
      select count(*)::int as count from environment_keys where principal_id = ${principalId}`
  )[0]?.count ?? 0
