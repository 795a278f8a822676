import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Sharer } from '../../platform/turn-queues.ts'
import { type Actor, inAnotherShare } from '../actor.ts'
import { DomainError } from '../errors.ts'
import { type AuditActor, entryRow } from './audit.ts'
import type { EventOf } from './events.ts'
import * as queries from './queries.ts'
import { hourOf, MINUTES_PER_HOUR } from './repeat-counts.ts'

/** Something that was read, and is noted each time; the digest is of everything that was read. */
export type ReadEvent = EventOf<'secret.read'> & Readonly<{ digest: string }>

/**
 * So many entries of its own an actor has in an hour, and then so many in a minute, whatever its tokens, addresses and
 * clients are: entries stay, and whoever may only read could fill the disk.
 */
const MOST_ENTRIES = { inHour: 3000, inMinute: 100 } as const

/**
 * Tells the audit log that an actor has read something, before it is answered. Reads with the same token, address and
 * client of the same in the same minute share an entry with their count; only the first has to wait for the database, and
 * for a turn to read of `turnOf`, unless there is one already. Beyond `MOST_ENTRIES` of an actor, its reads of one
 * environment in one hour share an entry.
 */
export async function noteRead(
  ctx: Context,
  actor: Actor,
  event: ReadEvent,
  { turnOf }: { turnOf?: Sharer } = {},
): Promise<void> {
  const minute = Math.floor(ctx.clock.now().getTime() / 60_000)
  const hour = hourOf(minute)
  const own = `read ${minute} ${actor.id} ${ownPart(actor, event)}`
  const entry = () => {
    const { inHour, inMinute } = ctx.repeats.sizeOf(actor.id, minute)
    if (ctx.repeats.has(own) || inHour < MOST_ENTRIES.inHour || inMinute < MOST_ENTRIES.inMinute) {
      return { key: own, place: { minute, group: actor.id }, who: actor, what: event }
    }
    return {
      key: `read in hour ${hour} ${actor.id} ${event.environmentId}`,
      place: { minute, until: (hour + 1) * MINUTES_PER_HOUR - 1 },
      who: withoutSource(actor),
      what: { ...event, newValues: { secrets: [], total: null }, description: SHARED },
    }
  }
  const count = async () => {
    const { key, place, who, what } = entry()
    await ctx.repeats.count(key, place, () => insert(ctx, who, actor.organisation.id, what, key))
  }
  if (turnOf === undefined || ctx.repeats.isStored(entry().key)) return await count()
  // Only who has a turn stores an entry: others that have turns wait for it.
  await ctx.limitReads.run(turnOf, count)
}

/**
 * Tells the audit log what a change that was made has let its caller read. It waits for none of the caller's reads. 503 where
 * that fails, with a sentence that says that the change was made.
 */
export async function noteReadByChange(ctx: Context, actor: Actor, event: ReadEvent): Promise<void> {
  await noteRead(ctx, actor, event, { turnOf: inAnotherShare(actor, 'changes of') }).catch(
    (cause: unknown) => {
      throw new ReadNotNotedError(cause)
    },
  )
}

class ReadNotNotedError extends DomainError {
  constructor(override readonly cause: unknown) {
    super(
      503,
      'The change was made, but what is the same as before is not told, since the audit log could not note that. Read it again.',
      { 'retry-after': '1' },
    )
  }
}

const SHARED = 'Secrets were read many times, in many ways, within an hour.'

/** What tells an actor's reads in one minute apart. */
const ownPart = ({ credential, source }: Actor, event: ReadEvent): string =>
  JSON.stringify([credential.id, event.environmentId, source.ipAddress, source.userAgent, event.digest])

/** Many tokens may read in one hour, from many addresses. */
const withoutSource = (actor: Actor): AuditActor => ({
  ...actor,
  credential: null,
  source: { ...actor.source, ipAddress: null, userAgent: null },
})

/** Stores the entry of a read, or counts it in the one that another replica has stored; gives the entry's id. */
async function insert(
  ctx: Context,
  actor: AuditActor,
  organisationId: string,
  event: ReadEvent,
  key: string,
): Promise<string> {
  const entry = entryRow(ctx, actor, organisationId, event)
  return await queries.insertOrCount(ctx.db, {
    ...entry,
    coalesce_key: createHash('sha256').update(key).digest(),
  })
}
