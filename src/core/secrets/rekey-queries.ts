import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { findById } from '../rows.ts'
import type { Row } from '../tables.ts'

/** An environment with the server's copy of its keys, and whether its app has server-side encryption. */
export type RekeyedEnvironment = Row<
  'environments',
  | 'id'
  | 'app_id'
  | 'name'
  | 'env_type'
  | 'index'
  | 'public_key'
  | 'wrapped_seed'
  | 'wrapped_salt'
  | 'created_at'
  | 'updated_at'
> &
  Row<'apps', 'sse_enabled'>

/** The sealed texts of a secret, or of a version of one; the digest as hex text. */
export type SealedTexts = Row<'secrets', 'id' | 'key' | 'value' | 'comment'> &
  Readonly<{ key_digest: string; version: number }>

/** A sealed override. */
export type SealedOverride = Row<'secret_overrides', 'id' | 'value'>

/** Locks an environment's row, so that changes of its secrets wait; undefined when the actor can't open it. */
export const lock = (tx: Transaction, actor: Actor, id: string): Promise<RekeyedEnvironment | undefined> =>
  findById(
    id,
    () => tx<RekeyedEnvironment[]>`
      select e.id, e.app_id, e.name, e.env_type, e.index, e.public_key, e.wrapped_seed, e.wrapped_salt, e.created_at,
        e.updated_at, a.sse_enabled
      from environments e
      join apps a on a.organisation_id = e.organisation_id and a.id = e.app_id
      join environment_keys k on k.environment_id = e.id and k.principal_id = ${actor.id}
      where e.organisation_id = ${actor.organisation.id} and e.id = ${id}
      for no key update of e`,
  )

/** Comes before the id of every secret. */
export const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** The next ids of secrets, the deleted ones that have versions included. */
export const nextIds = async (
  tx: Transaction,
  organisationId: string,
  environmentId: string,
  after: string,
  most: number,
): Promise<string[]> => {
  const rows = await tx<{ id: string }[]>`
    (select id from secrets
      where organisation_id = ${organisationId} and environment_id = ${environmentId} and id > ${after}
      order by id limit ${most})
    union
    (select distinct secret_id from secret_versions
      where environment_id = ${environmentId} and secret_id > ${after}
      order by secret_id limit ${most})
    order by id limit ${most}`
  return rows.map(({ id }) => id)
}

/** The texts of secrets. */
export const secrets = (tx: Transaction, ids: readonly string[]) => tx<SealedTexts[]>`
  select id, version, key, encode(key_digest, 'hex') as key_digest, value, comment
  from secrets where id = any(${[...ids]}::uuid[])`

/** The texts of versions of secrets. */
export const versions = (tx: Transaction, ids: readonly string[]) => tx<SealedTexts[]>`
  select secret_id as id, version, key, encode(key_digest, 'hex') as key_digest, value, comment
  from secret_versions where secret_id = any(${[...ids]}::uuid[])`

/** The overrides of secrets. */
export const overrides = (tx: Transaction, ids: readonly string[]) => tx<SealedOverride[]>`
  select id, value from secret_overrides where secret_id = any(${[...ids]}::uuid[])`

const sealedAgain = (tx: Transaction, texts: readonly SealedTexts[]) => tx`
  jsonb_to_recordset(${tx.json(texts as never)})
    as i (id uuid, version integer, key text, key_digest text, value text, comment text)`

/** Replaces the texts of secrets, and nothing else: not even the version. */
export const replaceSecrets = (tx: Transaction, texts: readonly SealedTexts[]) => tx`
  update secrets s
  set key = i.key, key_digest = decode(i.key_digest, 'hex'), value = i.value, comment = i.comment
  from ${sealedAgain(tx, texts)} where s.id = i.id`

/** Replaces the texts of versions. */
export const replaceVersions = (tx: Transaction, texts: readonly SealedTexts[]) => tx`
  update secret_versions v
  set key = i.key, key_digest = decode(i.key_digest, 'hex'), value = i.value, comment = i.comment
  from ${sealedAgain(tx, texts)} where v.secret_id = i.id and v.version = i.version`

/** Replaces the values of overrides. */
export const replaceOverrides = (tx: Transaction, overrides: readonly SealedOverride[]) => tx`
  update secret_overrides o set value = i.value
  from jsonb_to_recordset(${tx.json(overrides as never)}) as i (id uuid, value text) where o.id = i.id`

/** Has the environment tell when its secrets changed: later than it told before. */
export const markChanged = (tx: Transaction, environmentId: string, at: Date) => tx`
  update environments
  set secrets_changed_at = greatest(${at}, secrets_changed_at + interval '1 millisecond')
  where id = ${environmentId}`
