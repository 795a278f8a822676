import type { Transaction } from '../../platform/postgres/database.ts'
import type { KeyCopyPrincipal, ServerWrappedEnvironment } from '../environments/key-copies.ts'
import type { RoleRef } from '../roles/role.ts'
import type { Row } from '../tables.ts'

/** Stores a new principal. */
export const insert = (
  tx: Transaction,
  principal: Row<
    'principals',
    'id' | 'organisation_id' | 'type' | 'role_id' | 'role_kind' | 'identity_key' | 'wrapped_private_key'
  >,
) => tx`insert into principals ${tx(principal)}`

/** Gives a principal another role. */
export const setRole = (tx: Transaction, id: string, role: RoleRef) =>
  tx<KeyCopyPrincipal[]>`
    update principals set role_id = ${role.id}, role_kind = ${role.kind} where id = ${id}
    returning id, identity_key`

/*
 * Each environment is looked up by its id: with `not exists`, the planner compares all pairs of a principal's grants and
 * copies where its statistics don't know how many there are.
 */

/** The environments whose keys a principal has no copy of. */
export const environmentsWithoutCopy = (tx: Transaction, organisationId: string, principalId: string) =>
  tx<ServerWrappedEnvironment[]>`
    select e.id, e.app_id, e.wrapped_seed, e.wrapped_salt from environments e
    where e.organisation_id = ${organisationId}
      and (select true from environment_keys k
        where k.principal_id = ${principalId} and k.environment_id = e.id limit 1) is null
    order by e.id`

/** Deletes the key copies without a grant. */
export const deleteCopiesWithoutGrant = (tx: Transaction, principalId: string) =>
  tx`
    delete from environment_keys k where k.principal_id = ${principalId}
      and (select true from grants g
        where g.principal_id = k.principal_id and g.environment_id = k.environment_id limit 1) is null`

/** Deletes a principal; its keys, grants and tokens go by foreign keys. */
export const remove = (tx: Transaction, id: string) => tx`delete from principals where id = ${id}`
