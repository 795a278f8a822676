import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { ServerWrappedEnvironment } from '../environments/key-copies.ts'
import type { RoleKind } from '../permissions.ts'
import type { PrincipalRef, RequestedGrant } from './grant.ts'

/** Whoever's access is set: its kind of role decides whether it can be, its identity key what is wrapped. */
export type GrantPrincipal = Readonly<{ id: string; name: string; role_kind: RoleKind; identity_key: string }>

/** The live member or service account of this id; undefined when there is none. */
export const findPrincipal = async (
  db: Queryable,
  organisationId: string,
  { type, id }: PrincipalRef,
): Promise<GrantPrincipal | undefined> => {
  const [grantee] = await db<GrantPrincipal[]>`
    select p.id, coalesce(u.full_name, s.name) as name, p.role_kind, p.identity_key
    from principals p
    left join members m on m.principal_id = p.id
    left join users u on u.id = m.user_id
    left join service_accounts s on s.id = p.id
    where p.organisation_id = ${organisationId} and p.id = ${id} and p.type = ${type}`
  return grantee
}

/** What a principal is granted explicitly. */
export const findGrants = (tx: Transaction, principalId: string) =>
  tx<{ environment_id: string }[]>`
    select environment_id from grants where principal_id = ${principalId} order by environment_id`

/** Which of these ids are apps of the organisation. */
export const existingApps = (tx: Transaction, organisationId: string, ids: readonly string[]) =>
  tx<
    { id: string }[]
  >`select id from apps where organisation_id = ${organisationId} and id = any(${[...ids]}::uuid[])`

/** The environments among these ids, whether `callerId` is granted each, and whether `granteeId` has a copy of its keys. */
export const findRequestedEnvironments = (
  tx: Transaction,
  organisationId: string,
  ids: readonly string[],
  callerId: string,
  granteeId: string,
) =>
  tx<(ServerWrappedEnvironment & { name: string; callers: boolean; copied: boolean })[]>`
    select e.id, e.app_id, e.name, e.wrapped_seed, e.wrapped_salt,
      exists (select 1 from grants g where g.principal_id = ${callerId} and g.environment_id = e.id) as callers,
      exists (select 1 from environment_keys k where k.principal_id = ${granteeId} and k.environment_id = e.id) as copied
    from environments e
    where e.organisation_id = ${organisationId} and e.id = any(${[...ids]}::uuid[])`

/** Grants environments to a principal. */
export const insertGrants = (
  tx: Transaction,
  organisationId: string,
  principalId: string,
  wishes: readonly RequestedGrant[],
  at: Date,
) =>
  tx`
    insert into grants (organisation_id, principal_id, app_id, environment_id, created_at)
    select ${organisationId}, ${principalId}, app_id, environment_id, ${at}
    from unnest(${wishes.map((wish) => wish.appId)}::uuid[], ${wishes.map((wish) => wish.environmentId)}::uuid[])
      as wish (app_id, environment_id)`

/** Takes grants and the key copies that came with them. */
export const deleteGrants = (tx: Transaction, principalId: string, environmentIds: readonly string[]) =>
  tx`
    with revoked as (
      delete from grants where principal_id = ${principalId} and environment_id = any(${[...environmentIds]}::uuid[]))
    delete from environment_keys
    where principal_id = ${principalId} and environment_id = any(${[...environmentIds]}::uuid[])`

/** Notes that a member or service account was changed. */
export const touch = (tx: Transaction, type: 'member' | 'service_account', id: string, at: Date) =>
  tx`update ${tx(type === 'member' ? 'members' : 'service_accounts')} set updated_at = ${at} where id = ${id}`
