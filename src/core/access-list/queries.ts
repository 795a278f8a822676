import type { Queryable } from '../../platform/postgres/database.ts'
import { type PageRange, rowLimit } from '../pagination.ts'
import type { AccessFilter, AccessPairRow } from './access-pair.ts'

/**
 * Pairs of a principal and an environment that it can access. Each half of the union reads one page at most, never all
 * grants, nor all combinations of principals and environments.
 */
export const list = (db: Queryable, organisationId: string, filter: AccessFilter, range: PageRange) => {
  const { memberId, serviceAccountId, appId, environmentId } = filter
  const [principal = null, environment = null] = range.after ?? []
  const principals = db`
    p.organisation_id = ${organisationId}
    ${memberId === undefined ? db`` : db`and p.id = ${memberId} and p.type = 'member'`}
    ${serviceAccountId === undefined ? db`` : db`and p.id = ${serviceAccountId} and p.type = 'service_account'`}`
  const limit = rowLimit(range)
  return db<AccessPairRow[]>`
    with access as (
      (select p.id as principal_id, e.app_id, e.id as environment_id, 'role' as via
        from principals p join environments e on e.organisation_id = p.organisation_id
        where ${principals} and p.role_kind in ('owner', 'admin')
          ${appId === undefined ? db`` : db`and e.app_id = ${appId}`}
          ${environmentId === undefined ? db`` : db`and e.id = ${environmentId}`}
          ${principal === null ? db`` : db`and (p.id, e.id) > (${principal}::uuid, ${environment}::uuid)`}
        order by p.id, e.id limit ${limit})
      union all
      (select p.id, g.app_id, g.environment_id, 'grant'
        from principals p join grants g on g.organisation_id = p.organisation_id and g.principal_id = p.id
        where ${principals} and p.role_kind not in ('owner', 'admin')
          ${appId === undefined ? db`` : db`and g.app_id = ${appId}`}
          ${environmentId === undefined ? db`` : db`and g.environment_id = ${environmentId}`}
          ${principal === null ? db`` : db`and (g.principal_id, g.environment_id) > (${principal}::uuid, ${environment}::uuid)`}
        order by g.principal_id, g.environment_id limit ${limit})
      order by principal_id, environment_id limit ${limit}
    )
    select r.principal_id, r.app_id, r.environment_id, r.via, p.type as principal_type,
      coalesce(u.full_name, s.name) as principal_name
    from access r
    join principals p on p.id = r.principal_id
    left join members m on m.principal_id = p.id
    left join users u on u.id = m.user_id
    left join service_accounts s on s.id = p.id
    order by r.principal_id, r.environment_id`
}
