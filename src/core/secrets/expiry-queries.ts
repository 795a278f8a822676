import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Permissions } from '../permissions.ts'
import type { Row } from '../tables.ts'

/** An environment with secrets that are about to expire. */
export type ExpiringEnvironment = Row<'environments', 'id' | 'name'> & Readonly<{ app_name: string }>

/** The expiries that people are told of: after one time, and not after another. */
export type Expiries = Readonly<{ after: Date; until: Date }>

/** Somebody who can open some environments: how many, the first of them, and the role that says what for. */
export type Holder = Row<'members', 'user_id'> &
  Row<'roles', 'kind'> &
  Readonly<{ stored: Permissions | null; environments: number; first_ids: string[] }>

/** The environments with secrets that expire in a time, and of which nobody was told yet. */
export const environmentsToTell = (db: Queryable, { after, until }: Expiries) => db<ExpiringEnvironment[]>`
  with untold as materialized (
    select distinct environment_id from secrets
    where expires_at > ${after} and expires_at <= ${until} and reminded_expiry is distinct from expires_at)
  -- There is at most one of each. The limits have them looked up by their ids.
  select e.id, e.name, a.name as app_name
  from untold u
  cross join lateral (select id, app_id, name, index from environments where id = u.environment_id limit 1) e
  cross join lateral (select name, name_key from apps where id = e.app_id limit 1) a
  order by a.name_key, e.index`

/**
 * Marks secrets of an environment that expire in a time, and of which nobody was told yet; tells how many. Those that are
 * being changed are left for the next time.
 */
export const claimExpiring = async (
  tx: Transaction,
  environmentId: string,
  { after, until }: Expiries,
  most: number,
): Promise<number> => {
  const { count } = await tx`
    -- All of the environment's: by the index of untold ones, those of all environments would be read for each.
    with expiring as materialized (
      select id, reminded_expiry is distinct from expires_at as untold from secrets
      where environment_id = ${environmentId} and expires_at > ${after} and expires_at <= ${until})
    update secrets set reminded_expiry = expires_at where id = any(array(
      select id from secrets
      where id = any(array(select id from expiring where untold limit ${most}))
        and expires_at > ${after} and expires_at <= ${until} and reminded_expiry is distinct from expires_at
      for update skip locked))`
  return count
}

/** The members who can open some of these environments, each once; `named` is how many environments to name for each. */
export const holders = (tx: Transaction, environmentIds: readonly string[], named: number) => tx<Holder[]>`
  with held as materialized (
    select k.principal_id, count(*)::int as environments, (array_agg(e.id order by asked.place))[1:${named}::int] as first_ids
    from unnest(${[...environmentIds]}::uuid[]) with ordinality as asked (id, place)
    join environments e on e.id = asked.id
    join environment_keys k
      on k.organisation_id = e.organisation_id and k.app_id = e.app_id and k.environment_id = e.id
    group by k.principal_id)
  select m.user_id, r.kind, r.permissions as stored, h.environments, h.first_ids
  from held h
  join members m on m.principal_id = h.principal_id
  join principals p on p.id = h.principal_id
  join roles r on r.id = p.role_id`
