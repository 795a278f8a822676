import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { ownOverride } from './own-override.ts'
import { passing } from './queries.ts'
import type { Sizes } from './room.ts'
import type { SecretFilter } from './secret.ts'

/**
 * How much an environment's secrets take, the actor's overrides of them, and their versions, how many overrides the actor has
 * anywhere, and how many all members have in the environment. Reads no text.
 */
export const sizes = (tx: Transaction, actor: Actor, environmentId: string) => tx<Sizes[]>`
  select (
    select coalesce(sum(secret_bytes(path, key, value, comment, tags)), 0)
    from secrets where environment_id = ${environmentId})::float8 as secrets, (
    select coalesce(sum(octet_length(value)), 0)
    from secret_overrides where principal_id = ${actor.id} and environment_id = ${environmentId})::float8 as overrides, (
    select count(*)::int from secret_overrides where principal_id = ${actor.id}) as "allOverrides", (
    select count(*)::int from secret_overrides where environment_id::text = ${environmentId}::uuid::text) as "overridesOfAll", (
    select versions_bytes from environments where id = ${environmentId})::float8 as versions`

/** How many bytes the secrets of an environment that pass a filter take, with the actor's overrides. Reads no text. */
export const storedBytes = async (
  db: Queryable,
  actor: Actor,
  environmentId: string,
  filter: SecretFilter,
): Promise<number> => {
  const [row] = await db<{ bytes: number }[]>`
    select coalesce(sum(secret_bytes(s.path, s.key, s.value, s.comment, s.tags) + coalesce(octet_length(o.value), 0)), 0)::float8
      as bytes
    from secrets s
    ${ownOverride(db, actor)}
    where s.environment_id = ${environmentId} ${passing(db, filter)}`
  return row?.bytes ?? 0
}
