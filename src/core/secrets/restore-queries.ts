import type { Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'
import type { Change } from './queries.ts'

/** A secret as it was at a time, and as it is: versions are null where there was, or is, none. A sealed one stays sealed. */
export type StateThen = Row<'secret_versions', 'path' | 'type' | 'key_digest'> &
  Readonly<{
    id: string
    then_version: number | null
    now_version: number | null
    newest_version: number
    /** Whether versions of that time are no longer kept. */
    is_unknown: boolean
    is_same: boolean
  }>

/** Every secret that an environment has, or had at a time, in the order of paths. */
export const statesAt = (tx: Transaction, environmentId: string, at: Date) => tx<StateThen[]>`
  with kept as (
    select secret_id, min(version) as oldest, max(version) as newest,
      max(version) filter (where created_at <= ${at}) as version_then
    from secret_versions where environment_id = ${environmentId} group by secret_id
  )
  select k.secret_id as id, coalesce(t.path, s.path, n.path) as path,
    coalesce(t.key_digest, s.key_digest, n.key_digest) as key_digest,
    case when n.type = 'sealed' then n.type else coalesce(t.type, n.type) end as type,
    case when t.event <> 'deleted' then t.version end as then_version, s.version as now_version,
    k.newest as newest_version, k.version_then is null and k.oldest > 1 as is_unknown,
    coalesce(t.event <> 'deleted' and (s.path, s.key_digest, s.value, s.comment, s.tags, s.expires_at)
      is not distinct from (t.path, t.key_digest, t.value, t.comment, t.tags, t.expires_at)
      and (s.type = t.type or s.type = 'sealed'), false) as is_same
  from kept k
  -- There is at most one of each. The limits have them looked up by their keys, whatever the statistics say of the
  -- environment: after many changes they say that it has next to nothing.
  join lateral (
    select path, key_digest, type from secret_versions where secret_id = k.secret_id and version = k.newest limit 1) n on true
  left join lateral (
    select * from secret_versions where secret_id = k.secret_id and version = k.version_then limit 1) t on true
  left join lateral (select * from secrets where id = k.secret_id limit 1) s on true
  order by 2, k.secret_id`

/** A version that is to be what there is, and the number that it gets. */
export type RestoredVersion = Readonly<{ id: string; version: number; next: number }>

/**
 * Has these versions be what there is, also of deleted secrets, each as a new version. A sealed secret stays sealed. Names
 * are compared at the end: two secrets may change places.
 */
export const restoreVersions = async (
  tx: Transaction,
  { actor, environment, at }: Change,
  versions: readonly RestoredVersion[],
): Promise<void> => {
  await tx`set constraints secrets_key_unique deferred`
  await tx`
    with s as (
      insert into secrets (id, organisation_id, app_id, environment_id, path, key, key_digest, value, comment, tags, type,
        version, expires_at, created_at, updated_at)
      select v.secret_id, v.organisation_id, v.app_id, v.environment_id, v.path, v.key, v.key_digest, v.value, v.comment,
        v.tags, case when n.type = 'sealed' then 'sealed' else v.type end, i.next, v.expires_at, ${at}, ${at}
      from jsonb_to_recordset(${tx.json(versions as never)}) as i (id uuid, version integer, next integer)
      -- Looked up by their keys, as above.
      join lateral (select * from secret_versions where secret_id = i.id and version = i.version limit 1) v on true
      join lateral (select type from secret_versions where secret_id = i.id and version = i.next - 1 limit 1) n on true
      where v.environment_id = ${environment.id}
      on conflict (id) do update set path = excluded.path, key = excluded.key, key_digest = excluded.key_digest,
        value = excluded.value, comment = excluded.comment, tags = excluded.tags, type = excluded.type,
        expires_at = excluded.expires_at, version = excluded.version, updated_at = excluded.updated_at
      returning *)
    insert into secret_versions (secret_id, version, organisation_id, app_id, environment_id, event, path, key, key_digest,
      value, comment, tags, type, expires_at, actor_type, actor_id, actor_name, created_at)
    select s.id, s.version, s.organisation_id, s.app_id, s.environment_id, 'restored', s.path, s.key, s.key_digest,
      s.value, s.comment, s.tags, s.type, s.expires_at, ${actor.type}, ${actor.id}, ${actor.name}, ${at}
    from s`
  await tx`set constraints secrets_key_unique immediate`
}
