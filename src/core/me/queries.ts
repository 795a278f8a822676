import type { Queryable } from '../../platform/postgres/database.ts'
import type { RoleRow } from '../roles/role.ts'

/** The role that a principal holds now, and its organisation's name; undefined when the principal is gone. */
export const findRoleAndOrganisation = async (
  db: Queryable,
  principalId: string,
): Promise<(RoleRow & { organisation_name: string }) | undefined> =>
  (
    await db<(RoleRow & { organisation_name: string })[]>`
      select r.id, r.kind, r.position, r.name, r.name_key, r.description, r.color, r.permissions, r.created_at,
        o.name as organisation_name
      from principals p join roles r on r.id = p.role_id join organisations o on o.id = p.organisation_id
      where p.id = ${principalId}`
  )[0]

type KeyCopy = {
  app_id: string
  environment_id: string
  public_key: string
  wrapped_seed: string
  wrapped_salt: string
}

/**
 * A principal's own keys beside each of its copies of environment keys, apps by name and in each the environments by
 * index; without copies one row whose `environment_id` is null, and none when the principal is gone.
 */
export const keysOf = (db: Queryable, principalId: string) =>
  db<({ identity_key: string; wrapped_private_key: string } & (KeyCopy | { environment_id: null }))[]>`
    select p.identity_key, p.wrapped_private_key,
      e.app_id, e.id as environment_id, e.public_key, k.wrapped_seed, k.wrapped_salt
    from principals p
    left join environment_keys k on k.principal_id = p.id
    left join environments e on e.id = k.environment_id
    left join apps a on a.id = e.app_id
    where p.id = ${principalId}
    order by a.name_key, a.id, e.index`
