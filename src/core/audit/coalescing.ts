import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import { transaction } from '../transactions.ts'
import { type AuditActor, entryRow } from './audit.ts'
import type { AuditEvent, Refusal } from './events.ts'

/** An event that is counted in one entry a minute, rather than recorded each time. */
export type CoalescedEvent = Refusal | Extract<AuditEvent, { eventType: 'user.sign_in_failed' }>

/** An actor's refusals of one minute beyond this many different ones share one entry for each event. */
const DISTINCT_PER_MINUTE = 20

/**
 * Writes one entry for a refusal or a failed sign-in, or adds one to the entry of the same actor, event, target and
 * address in the same minute. Whoever asks for one thing after the other can't fill the trail with it. Never within a
 * transaction.
 */
export async function recordCoalesced(
  ctx: Context,
  author: AuditActor,
  organisationId: string,
  event: CoalescedEvent,
): Promise<void> {
  const minute = Math.floor(ctx.clock.now().getTime() / 60_000)
  const own = keyed(entryRow(ctx, author, organisationId, event), 'one', minute)
  const shared = keyed(
    sharedByMany(entryRow(ctx, author, organisationId, withoutTarget(event))),
    'many',
    minute,
  )
  if (await counted(ctx.db, own.coalesce_key, shared.coalesce_key)) return
  await transaction(ctx, async (tx) => {
    // One new entry of an actor at a time, whichever replica writes it: two that count at once would both find room.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`keyward/audit/${own.actor_id}`}, 0))`
    const [recent] = await tx<{ entries: number }[]>`
      select count(*)::int as entries from audit_entries
      where organisation_id = ${organisationId} and actor_id = ${own.actor_id}
        and timestamp >= ${new Date(minute * 60_000)} and coalesce_key is not null`
    if (await counted(tx, own.coalesce_key, shared.coalesce_key)) return
    const row = (recent?.entries ?? 0) < DISTINCT_PER_MINUTE ? own : shared
    await tx`
      insert into audit_entries ${tx(row)}
      on conflict (coalesce_key) do update set count = audit_entries.count + 1`
  })
}

/** Adds one to the entry of a refusal that was written already, or to the one shared by many; false without either. */
async function counted(db: Queryable, own: Buffer, shared: Buffer): Promise<boolean> {
  const { count } = await db`
    update audit_entries set count = count + 1
    where coalesce_key = coalesce(
      (select coalesce_key from audit_entries where coalesce_key = ${own}),
      (select coalesce_key from audit_entries where coalesce_key = ${shared}))`
  return count > 0
}

function keyed(row: Row, whose: 'one' | 'many', minute: number) {
  const { actor_id, event_type, resource_type, resource_id, ip_address } = row
  const same = [whose, actor_id, event_type, resource_type, resource_id, ip_address, minute]
  return { ...row, coalesce_key: createHash('sha256').update(JSON.stringify(same)).digest() }
}

const withoutTarget = (event: CoalescedEvent): CoalescedEvent => ({
  ...event,
  resourceId: null,
  appId: null,
  environmentId: null,
  description: 'Many requests were refused within a minute.',
})

/** Who changes addresses has no more entries than who stays at one. */
const sharedByMany = (row: Row) => ({ ...row, ip_address: null, user_agent: null })

type Row = ReturnType<typeof entryRow>
