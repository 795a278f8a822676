import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { SIGN_IN_AGAIN } from '../sessions/policy.ts'
import { transaction } from '../transactions.ts'
import { type AuditActor, entryRow } from './audit.ts'
import type { EventOf } from './events.ts'
import * as queries from './queries.ts'
import type { Refusal } from './refusals.ts'
import { hourOf, MINUTES_PER_HOUR } from './repeat-counts.ts'

/** An event that is counted in one entry a minute, rather than recorded each time. */
export type CoalescedEvent = Refusal | EventOf<'user.sign_in_failed'>

/** After this time no request is counted in an entry any more. */
export const COALESCING_SECONDS = 2 * 3600

/**
 * After this many different refusals of one actor in a minute, further ones share an entry for each event. Of somebody
 * without a membership, in an hour: anybody may have an account, and entries stay.
 */
const MOST_ENTRIES = 20

/**
 * Records a refusal or a failed sign-in, or adds one to the count of the entry with the same actor, event, target and
 * address (and for a sign-in the same reason) in the same minute. Beyond `MOST_ENTRIES`, a caller that probes many targets
 * adds to shared ones. Limited in number, because all may wait for one row; throws `TooBusyError` after the wait. Must not
 * be called within a transaction.
 */
export async function recordCoalesced(
  ctx: Context,
  actor: AuditActor,
  organisationId: string,
  event: CoalescedEvent,
): Promise<void> {
  const minute = Math.floor(ctx.clock.now().getTime() / 60_000)
  // Sign-ins have limits of their own.
  const period = actor.id === null && event.eventType !== 'user.sign_in_failed' ? 'hour' : 'minute'
  const since = period === 'hour' ? hourOf(minute) * MINUTES_PER_HOUR : minute
  const own = withKey(entryRow(ctx, actor, organisationId, event), 'one', minute)
  const shared = withKey(
    withoutAddress(entryRow(ctx, actor, organisationId, withoutTarget(event, period))),
    'many',
    since,
  )
  const { actor_id: id } = own
  const { responsibleId = id, branchId = id, shareOf = null } = actor
  const sharer = { id, responsibleId, branchId, shareOf }
  await ctx.limitSideWrites.run(sharer, () => countOrInsert(ctx, own, shared, new Date(since * 60_000)))
}

async function countOrInsert(
  ctx: Context,
  own: queries.CoalescedEntry,
  shared: queries.CoalescedEntry,
  since: Date,
): Promise<void> {
  if (await queries.countAgain(ctx.db, own, shared)) return
  await transaction(ctx, async (tx) => {
    // One new entry of an actor at a time: concurrent requests would both find room for the last one.
    await queries.lockActor(tx, own.actor_id)
    const entries = await queries.countCoalesced(tx, own.organisation_id, own.actor_id, since)
    if (await queries.countAgain(tx, own, shared)) return
    await queries.insertOrCount(tx, entries < MOST_ENTRIES ? await inItsEnvironment(tx, own) : shared)
  })
}

/**
 * Puts a refusal about a secret in the secret's environment, so that only those who can open that see the entry. An unknown
 * secret counts as one in an environment that nobody can open: otherwise the log would tell which secrets exist.
 */
async function inItsEnvironment(
  tx: Transaction,
  entry: queries.CoalescedEntry,
): Promise<queries.CoalescedEntry> {
  const { resource_type, resource_id, environment_id } = entry
  if (resource_type !== 'secret' || resource_id === null || environment_id !== null) return entry
  return { ...entry, environment_id: (await queries.environmentOfSecret(tx, resource_id)) ?? resource_id }
}

function withKey(
  entry: queries.NewEntry & { actor_id: string },
  kind: 'one' | 'many',
  minute: number,
): queries.CoalescedEntry {
  const { actor_id, event_type, resource_type, resource_id, ip_address, description } = entry
  // A sign-in fails for different reasons, which the description tells. A denial must not hide behind a sign-in too old.
  const isTooOld = description.startsWith(SIGN_IN_AGAIN)
  const reason = event_type === 'user.sign_in_failed' ? description : isTooOld ? SIGN_IN_AGAIN : null
  const same = [kind, actor_id, event_type, resource_type, resource_id, ip_address, minute, reason]
  return { ...entry, coalesce_key: createHash('sha256').update(JSON.stringify(same)).digest() }
}

const withoutTarget = (event: CoalescedEvent, period: 'minute' | 'hour'): CoalescedEvent => ({
  ...event,
  resourceId: null,
  appId: null,
  environmentId: null,
  description: `Many requests were refused within ${period === 'hour' ? 'an hour' : 'a minute'}.`,
})

/** So that an actor that changes its address has one shared entry as well. */
const withoutAddress = <E extends queries.NewEntry>(entry: E) => ({
  ...entry,
  ip_address: null,
  user_agent: null,
})
