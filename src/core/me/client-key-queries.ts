import type { Queryable } from '../../platform/postgres/database.ts'
import type { Credential } from '../actor.ts'
import type { Row } from '../tables.ts'

/** A principal's copy of an environment's keys, with the environment; in JSON that the database made. */
export type KeyCopy = Row<'environments', 'id' | 'name' | 'env_type' | 'index' | 'public_key'> &
  Row<'environment_keys', 'wrapped_seed' | 'wrapped_salt'> &
  Readonly<{
    created_at: string
    /** Of the environment, or of a secret in it. */
    changed_at: string
    copied_at: string
  }>

type ClientKeysRow = Row<'tokens', 'wrapped_key_share'> &
  Readonly<{
    organisation_name: string
    apps: readonly (Row<'apps', 'id' | 'name' | 'sse_enabled'> & Readonly<{ copies: readonly KeyCopy[] }>)[]
  }>

/**
 * A principal's key copies, apps by name and in each the shortest name first, then by index, beside the organisation's
 * name and what is stored of the token of the request. No row when the principal is gone.
 */
export const clientKeysOf = (db: Queryable, principalId: string, { kind, id }: Credential) =>
  db<ClientKeysRow[]>`
    select o.name as organisation_name,
      (select t.wrapped_key_share from tokens t
        where ${kind} = 'token' and t.id = ${id} and t.principal_id = p.id) as wrapped_key_share,
      (select coalesce(json_agg(json_build_object('id', a.id, 'name', a.name, 'sse_enabled', a.sse_enabled,
          'copies', c.copies) order by a.name_key, a.id), '[]')
        from (
          select e.app_id, json_agg(json_build_object('id', e.id, 'name', e.name, 'env_type', e.env_type,
              'index', e.index, 'public_key', e.public_key, 'created_at', e.created_at,
              'changed_at', greatest(e.updated_at, e.secrets_changed_at), 'copied_at', k.created_at,
              'wrapped_seed', k.wrapped_seed, 'wrapped_salt', k.wrapped_salt)
            order by length(e.name), e.index) as copies
          from environment_keys k join environments e on e.id = k.environment_id
          where k.principal_id = p.id
          group by e.app_id) c
        join apps a on a.id = c.app_id) as apps
    from principals p join organisations o on o.id = p.organisation_id
    where p.id = ${principalId}`
