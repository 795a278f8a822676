import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import type { Sizes } from './room.ts'
import type { SecretFilter } from './secret.ts'

/**
 * How much an environment's secrets take, the actor's overrides of them, and their versions, and how many overrides the actor
 * has anywhere. Reads no text.
 */
export const sizes = (tx: Transaction, actor: Actor, environmentId: string) => tx<Sizes[]>`
  select (
    select coalesce(sum(secret_bytes(path, key, value, comment, tags)), 0)
    from secrets where environment_id = ${environmentId})::float8 as secrets, (
    select coalesce(sum(octet_length(value)), 0)
    from secret_overrides where principal_id = ${actor.id} and environment_id = ${environmentId})::float8 as overrides, (
    select count(*)::int from secret_overrides where principal_id = ${actor.id}) as "allOverrides", (
    select versions_bytes from environments where id = ${environmentId})::float8 as versions`

/**
 * How many bytes the secrets of an environment that a filter names take, and, at most, the actor's overrides of them.
 * Reads no text.
 */
export const storedBytes = async (
  db: Queryable,
  actor: Actor,
  environmentId: string,
  { path, ids }: Pick<SecretFilter, 'path' | 'ids'>,
): Promise<number> => {
  const ofIds = (column: ReturnType<Queryable>) =>
    ids === undefined ? db`` : db`and ${column} = any(${[...ids]}::uuid[])`
  const [row] = await db<{ bytes: number }[]>`
    select (
      select coalesce(sum(secret_bytes(path, key, value, comment, tags)), 0) from secrets
      where environment_id = ${environmentId} ${path === undefined ? db`` : db`and path = ${path}`} ${ofIds(db`id`)}
    ) + (
      select coalesce(sum(octet_length(value)), 0)::float8 from secret_overrides
      where principal_id = ${actor.id} and environment_id = ${environmentId} ${ofIds(db`secret_id`)}
    ) as bytes`
  return row?.bytes ?? 0
}
