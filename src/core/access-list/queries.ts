import type { Queryable } from '../../platform/postgres/database.ts'
import { type PageRange, rowLimit } from '../pagination.ts'
import { lookedUp } from '../rows.ts'
import type { AccessFilter, AccessPairRow } from './access-pair.ts'

/**
 * Pairs of a principal and an environment that it can access. Each half of the union reads one page at most, never all
 * grants, nor all combinations of principals and environments: each reads an index in the order of the list.
 */
export const list = (db: Queryable, organisationId: string, filter: AccessFilter, range: PageRange) => {
  const limit = rowLimit(range)
  return db<AccessPairRow[]>`
    with access as (
      (${byRole(db, organisationId, filter, range)})
      union all
      (${byGrant(db, organisationId, filter, range)})
      order by principal_id, environment_id limit ${limit}
    )
    select r.principal_id, r.principal_type, r.app_id, r.environment_id, r.via, r.role_id,
      coalesce(
        (select u.full_name from members m join users u on u.id = m.user_id where m.principal_id = r.principal_id),
        (select s.name from service_accounts s where s.id = r.principal_id)) as principal_name,
      (select name from roles where id = r.role_id) as role_name,
      (select name from apps where id = r.app_id) as app_name,
      (select name from environments where id = r.environment_id) as environment_name
    from access r
    order by r.principal_id, r.environment_id`
}

/** Principals with global access, one after the other, each with its first environments in the range. */
const byRole = (
  db: Queryable,
  organisationId: string,
  { appId, environmentId, ...filter }: AccessFilter,
  range: PageRange,
) => {
  const [principal, environment] = range.after ?? []
  return db`
    select p.id as principal_id, p.type as principal_type, p.role_id, e.app_id, e.id as environment_id, 'role' as via
    from principals p cross join lateral (
      select e.app_id, e.id from environments e
      where e.organisation_id = p.organisation_id
        ${appId === undefined ? db`` : db`and e.app_id = ${appId}`}
        ${environmentId === undefined ? db`` : db`and e.id = ${environmentId}`}
        ${principal === undefined ? db`` : db`and (p.id > ${principal} or e.id > ${environment ?? null})`}
      order by e.id limit ${rowLimit(range)}
    ) e
    where ${isListed(db, organisationId, filter)} and p.role_kind in ('owner', 'admin')
      ${principal === undefined ? db`` : db`and p.id >= ${principal}`}
    order by p.id, e.id limit ${rowLimit(range)}`
}

/**
 * Those of principals, one after the other, each with its first grants in the range; of an app or an environment alone, its
 * grants, each with its principal. Never as an ordinary join: without statistics, the planner compares all pairs.
 */
const byGrant = (
  db: Queryable,
  organisationId: string,
  { appId, environmentId, ...filter }: AccessFilter,
  range: PageRange,
) => {
  const [principal, environment] = range.after ?? []
  // The index for an environment begins with its app.
  const ofEnvironment = db`
    g.app_id = (select app_id from environments where organisation_id = ${organisationId} and id = ${environmentId ?? null})
    and g.environment_id = ${environmentId ?? null}`
  const isInRange = db`
    ${appId === undefined ? db`` : db`and g.app_id = ${appId}`}
    ${environmentId === undefined ? db`` : db`and ${ofEnvironment}`}
    ${
      principal === undefined
        ? db``
        : db`and (g.principal_id, g.environment_id) > (${principal}::uuid, ${environment ?? null}::uuid)`
    }`
  const isOfSome = Object.values(filter).some((id) => id !== undefined)
  const grants =
    !isOfSome && (appId ?? environmentId) !== undefined
      ? db`
        select g.*, p.type, p.role_id from grants g ${lookedUp(db, 'principals', 'p', db`id = g.principal_id`)}
        where g.organisation_id = ${organisationId} ${isInRange} and p.role_kind not in ('owner', 'admin')
        order by g.principal_id, g.environment_id limit ${rowLimit(range)}`
      : db`
        select g.*, p.type, p.role_id from principals p cross join lateral (
          -- By the principal alone: with the organisation, another index could be read as a whole for each.
          select * from grants g where g.principal_id = p.id ${isInRange} order by g.environment_id limit ${rowLimit(range)}
        ) g
        where ${isListed(db, organisationId, filter)} and p.role_kind not in ('owner', 'admin')
          ${principal === undefined ? db`` : db`and p.id >= ${principal}`}
        order by p.id, g.environment_id limit ${rowLimit(range)}`
  return db`select principal_id, type, role_id, app_id, environment_id, 'grant' from (${grants}) granted`
}

const isListed = (
  db: Queryable,
  organisationId: string,
  { memberId, serviceAccountId, roleId }: Omit<AccessFilter, 'appId' | 'environmentId'>,
) => db`
  p.organisation_id = ${organisationId}
  ${memberId === undefined ? db`` : db`and p.id = ${memberId} and p.type = 'member'`}
  ${serviceAccountId === undefined ? db`` : db`and p.id = ${serviceAccountId} and p.type = 'service_account'`}
  ${roleId === undefined ? db`` : db`and p.role_id = ${roleId}`}`
