import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { RoleKind } from '../permissions.ts'
import type { Row } from '../tables.ts'
import type { PrincipalRef, RequestedGrant } from './grant.ts'

/**
 * A principal whose access is set: its role decides whether it can be, its identity key is for the key copies. With the
 * environments that it is granted explicitly.
 */
export type GrantPrincipal = Row<'principals', 'id' | 'identity_key'> &
  Readonly<{ name: string; role_kind: RoleKind; granted: readonly string[] }>

/** The active member or service account of this id; undefined when there is none. */
export const findPrincipal = async (
  db: Queryable,
  organisationId: string,
  { type, id }: PrincipalRef,
): Promise<GrantPrincipal | undefined> => {
  const [principal] = await db<GrantPrincipal[]>`
    select p.id, coalesce(u.full_name, s.name) as name, p.role_kind, p.identity_key,
      array(select environment_id from grants where principal_id = p.id order by environment_id) as granted
    from principals p
    left join members m on m.principal_id = p.id
    left join users u on u.id = m.user_id
    left join service_accounts s on s.id = p.id
    where p.organisation_id = ${organisationId} and p.id = ${id} and p.type = ${type}`
  return principal
}

/** Which of these ids are apps of the organisation. */
export const existingApps = (tx: Transaction, organisationId: string, ids: readonly string[]) =>
  tx<Row<'apps', 'id'>[]>`
    select id from apps where organisation_id = ${organisationId} and id = any(${[...ids]}::uuid[])`

/** An environment that is to be granted, whether the actor is granted it, and whether the principal has a key copy. */
export type RequestedEnvironment = Row<'environments', 'id' | 'app_id' | 'wrapped_seed' | 'wrapped_salt'> &
  Readonly<{ actor_has_grant: boolean; has_key_copy: boolean }>

/** The environments among these ids. */
export const findRequestedEnvironments = (
  tx: Transaction,
  organisationId: string,
  ids: readonly string[],
  actorId: string,
  principalId: string,
) =>
  tx<RequestedEnvironment[]>`
    select e.id, e.app_id, e.wrapped_seed, e.wrapped_salt,
      exists (
        select 1 from grants g where g.principal_id = ${actorId} and g.environment_id = e.id
      ) as actor_has_grant,
      exists (
        select 1 from environment_keys k where k.principal_id = ${principalId} and k.environment_id = e.id
      ) as has_key_copy
    from environments e
    where e.organisation_id = ${organisationId} and e.id = any(${[...ids]}::uuid[])`

/** Grants environments to a principal. */
export const insertGrants = (
  tx: Transaction,
  organisationId: string,
  principalId: string,
  added: readonly RequestedGrant[],
  at: Date,
) => tx`${insertion(tx, organisationId, principalId, added, at)}`

/**
 * Changes what a member or service account is granted, and sets when it was last changed: deletes grants with the key
 * copies that came with them, and adds others. One statement, because each costs a message and a plan.
 */
export const changeGrants = (
  tx: Transaction,
  organisationId: string,
  { type, id }: PrincipalRef,
  added: readonly RequestedGrant[],
  revoked: readonly string[],
  at: Date,
) => {
  const isRevoked = tx`principal_id = ${id} and environment_id = any(${[...revoked]}::uuid[])`
  return tx`
    with grants_revoked as (delete from grants where ${isRevoked}),
      copies_deleted as (delete from environment_keys where ${isRevoked}),
      granted as (${insertion(tx, organisationId, id, added, at)})
    update ${tx(type === 'member' ? 'members' : 'service_accounts')} set updated_at = ${at} where id = ${id}`
}

const insertion = (
  tx: Transaction,
  organisationId: string,
  principalId: string,
  added: readonly RequestedGrant[],
  at: Date,
) => tx`
    insert into grants (organisation_id, principal_id, app_id, environment_id, created_at)
    select ${organisationId}::uuid, ${principalId}::uuid, app_id, environment_id, ${at}::timestamptz
    from unnest(${added.map((grant) => grant.appId)}::uuid[], ${added.map((grant) => grant.environmentId)}::uuid[])
      as added (app_id, environment_id)`
