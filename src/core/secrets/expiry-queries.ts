import type { Transaction } from '../../platform/postgres/database.ts'
import type { Permissions } from '../permissions.ts'
import type { Row } from '../tables.ts'

/** An environment with secrets that are about to expire. */
export type ExpiringEnvironment = Row<'environments', 'id' | 'name'> & Readonly<{ app_name: string }>

/** Somebody who can open an environment, and the role that says what for. */
export type Holder = Row<'environment_keys', 'environment_id'> &
  Row<'members', 'user_id'> &
  Row<'roles', 'kind'> &
  Readonly<{ stored: Permissions | null }>

/**
 * Marks secrets that expire before a time, and of which nobody was told yet; gives their environments. Those that are being
 * changed are left for the next time.
 */
export const claimExpiring = (tx: Transaction, before: Date, most: number) => tx<ExpiringEnvironment[]>`
  with claimed as (
    update secrets set reminded_expiry = expires_at where id = any(array(
      select id from secrets
      where expires_at <= ${before} and reminded_expiry is distinct from expires_at
      limit ${most} for update skip locked))
    returning environment_id)
  select e.id, e.name, a.name as app_name from environments e
  join lateral (
    select name, name_key from apps where organisation_id = e.organisation_id and id = e.app_id
    -- There is one. The limit has it looked up by its id.
    limit 1
  ) a on true
  where e.id = any(array(select environment_id from claimed))
  order by a.name_key, e.index`

/** The members who can open these environments. */
export const holders = (tx: Transaction, environmentIds: readonly string[]) => tx<Holder[]>`
  select k.environment_id, m.user_id, r.kind, r.permissions as stored
  from environments e
  join environment_keys k
    on k.organisation_id = e.organisation_id and k.app_id = e.app_id and k.environment_id = e.id
  join members m on m.principal_id = k.principal_id
  join principals p on p.id = k.principal_id
  join roles r on r.id = p.role_id
  where e.id = any(${[...environmentIds]}::uuid[])`
