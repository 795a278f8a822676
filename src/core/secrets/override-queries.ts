import type { Transaction } from '../../platform/postgres/database.ts'
import type { Row } from '../tables.ts'
import type { Change } from './queries.ts'

/** An override that is to be stored, with the id that it gets if there is none. */
export type OverrideValues = Row<'secret_overrides', 'id' | 'secret_id' | 'value' | 'is_active'>

/**
 * Stores the actor's overrides, in one statement; one that is there already keeps its id. A member's changes take turns,
 * so that each can count what there is after it.
 */
export const put = (
  tx: Transaction,
  { actor, environment, at }: Change,
  overrides: readonly OverrideValues[],
) => tx`
  insert into secret_overrides
    (secret_id, principal_id, organisation_id, environment_id, id, value, is_active, created_at, updated_at)
  select i.secret_id, ${actor.id}, ${actor.organisation.id}, ${environment.id}, i.id, i.value, i.is_active, ${at}, ${at}
  from (select pg_advisory_xact_lock(hashtextextended(${`keyward/overrides/${actor.id}`}, 0))) as turn,
    jsonb_to_recordset(${tx.json(overrides as never)}) as i (id uuid, secret_id uuid, value text, is_active boolean)
  on conflict (secret_id, principal_id)
    do update set value = excluded.value, is_active = excluded.is_active, updated_at = excluded.updated_at`

/** Deletes the actor's override of a secret; tells whether there was one. */
export const remove = async (
  tx: Transaction,
  { actor, environment }: Change,
  secretId: string,
): Promise<boolean> => {
  const { count } = await tx`
    delete from secret_overrides
    where principal_id = ${actor.id} and environment_id = ${environment.id} and secret_id = ${secretId}`
  return count > 0
}
