import { createHash, randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/database.ts'
import type { Actor, Credential, RequestOrigin } from '../actor.ts'
import { transaction } from '../transactions.ts'

/** What an entry of the audit trail tells. Never key material, a password, a token or an e-mail address. */
export type AuditEvent = Readonly<{
  /** What happened, in the past tense: `role.created`. */
  eventType: string
  resourceType: string
  resourceId: string | null
  description: string
  resourceMetadata?: Readonly<Record<string, unknown>>
  oldValues?: Readonly<Record<string, unknown>>
  newValues?: Readonly<Record<string, unknown>>
  /** The app and the environment that the entry is about: whoever can't access them doesn't see it. */
  appId?: string | null
  environmentId?: string | null
}>

/** Whom an entry names: any caller, or an account that has not proved who it is. */
export type Author = Readonly<{
  type: 'user' | 'service_account'
  id: string | null
  userId: string | null
  name: string
  role?: Readonly<{ name: string }>
  credential: Credential | null
  origin: RequestOrigin
}>

/** Writes one entry, in the transaction of the change that it tells of. */
export const record = (ctx: Context, tx: Queryable, actor: Actor, event: AuditEvent): Promise<void> =>
  recordFor(ctx, tx, actor, actor.organisation.id, event)

/** Entries in one statement: each has two dozen parameters, of which a statement can have 65,534. */
const ENTRIES_PER_STATEMENT = 1000

/** Writes the entries of one change that tells of many things, in its transaction. */
export async function recordAll(
  ctx: Context,
  tx: Queryable,
  actor: Actor,
  events: readonly AuditEvent[],
): Promise<void> {
  const rows = events.map((event) => entry(ctx, actor, actor.organisation.id, event))
  for (let from = 0; from < rows.length; from += ENTRIES_PER_STATEMENT) {
    await tx`insert into audit_entries ${tx(rows.slice(from, from + ENTRIES_PER_STATEMENT))}`
  }
}

/** Writes one entry about somebody who need not belong to the organisation. */
export async function recordFor(
  ctx: Context,
  db: Queryable,
  author: Author,
  organisationId: string,
  event: AuditEvent,
): Promise<void> {
  await db`insert into audit_entries ${db(entry(ctx, author, organisationId, event))}`
}

/** An actor's refusals of one minute beyond this many different ones share one entry for each event. */
const DISTINCT_PER_MINUTE = 20

/**
 * Writes one entry for a refusal or a failed sign-in, or adds one to the entry of the same actor, event, target and
 * address in the same minute. Whoever asks for one thing after the other can't fill the trail with it. Never within a
 * transaction.
 */
export async function recordCoalesced(
  ctx: Context,
  author: Author,
  organisationId: string,
  event: AuditEvent,
): Promise<void> {
  const minute = Math.floor(ctx.clock.now().getTime() / 60_000)
  const own = keyed(entry(ctx, author, organisationId, event), 'one', minute)
  const shared = keyed(sharedByMany(entry(ctx, author, organisationId, withoutTarget(event))), 'many', minute)
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

const withoutTarget = (event: AuditEvent): AuditEvent => ({
  eventType: event.eventType,
  resourceType: event.resourceType,
  resourceId: null,
  description: 'Many requests were refused within a minute.',
})

/** Who changes addresses has no more entries than who stays at one. */
const sharedByMany = (row: Row) => ({ ...row, ip_address: null, user_agent: null })

type Row = ReturnType<typeof entry>

function entry(ctx: Context, author: Author, organisationId: string, event: AuditEvent) {
  const { credential } = author
  return {
    id: randomUUID(),
    organisation_id: organisationId,
    event_type: event.eventType,
    resource_type: event.resourceType,
    resource_id: event.resourceId,
    app_id: event.appId ?? null,
    environment_id: event.environmentId ?? null,
    actor_type: author.type,
    actor_id: author.id ?? author.userId,
    actor_metadata: ctx.db.json({
      name: author.name,
      role: author.role?.name ?? null,
      ...(credential !== null && { [`${credential.kind}Id`]: credential.id }),
    }),
    resource_metadata: ctx.db.json((event.resourceMetadata ?? {}) as never),
    old_values: event.oldValues === undefined ? null : ctx.db.json(event.oldValues as never),
    new_values: event.newValues === undefined ? null : ctx.db.json(event.newValues as never),
    description: event.description,
    ip_address: author.origin.ipAddress,
    user_agent: author.origin.userAgent,
    request_id: author.origin.requestId,
    timestamp: ctx.clock.now(),
  }
}
