import type { Queryable } from '../../platform/postgres/database.ts'
import type { Credential } from '../actor.ts'
import type { Row } from '../tables.ts'

/** A principal's copy of an environment's keys, with the environment and its app. */
export type KeyCopy = Row<
  'environments',
  'name' | 'env_type' | 'index' | 'public_key' | 'created_at' | 'app_id'
> &
  Row<'environment_keys', 'environment_id' | 'wrapped_seed' | 'wrapped_salt'> &
  Row<'apps', 'sse_enabled'> &
  Readonly<{
    app_name: string
    /** Of the environment, or of a secret in it. */
    changed_at: Date
    copied_at: Date
  }>

/** What is said once, in the first row: the organisation's name, and what is stored of the token of the request. */
export type ClientKeysRow = Row<'tokens', 'wrapped_key_share'> &
  Readonly<{ organisation_name: string | null }> &
  (KeyCopy | Readonly<{ environment_id: null }>)

/**
 * A principal's key copies, by the app's name, then the shortest name of an environment first, then its index. Without
 * copies one row whose `environment_id` is null; none when the principal is gone.
 */
export const clientKeysOf = (db: Queryable, principalId: string, { kind, id }: Credential) =>
  db<ClientKeysRow[]>`
    select
      case when row_number() over placed = 1 then o.name end as organisation_name,
      case when row_number() over placed = 1 then (
        select t.wrapped_key_share from tokens t where ${kind} = 'token' and t.id = ${id} and t.principal_id = p.id
      ) end as wrapped_key_share,
      a.id as app_id, a.name as app_name, a.sse_enabled,
      e.id as environment_id, e.name, e.env_type, e.index, e.public_key, e.created_at,
      greatest(e.updated_at, e.secrets_changed_at) as changed_at,
      k.created_at as copied_at, k.wrapped_seed, k.wrapped_salt
    from principals p
    join organisations o on o.id = p.organisation_id
    left join environment_keys k on k.principal_id = p.id
    left join environments e on e.id = k.environment_id
    left join apps a on a.id = e.app_id
    where p.id = ${principalId}
    window placed as (order by a.name_key, a.id, length(e.name), e.index)
    order by a.name_key, a.id, length(e.name), e.index`
