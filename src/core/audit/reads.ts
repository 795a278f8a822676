import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { entryRow } from './audit.ts'
import type { EventOf } from './events.ts'
import * as queries from './queries.ts'

/** Something that was read, and is noted each time. */
export type ReadEvent = EventOf<'secret.read'>

/** So many entries a token has in a minute about one environment; further reads share one. */
const MOST_ENTRIES_PER_MINUTE = 20

/**
 * Tells the audit log that an actor has read something, before it is answered. Reads with the same token, address and
 * client of the same in the same minute share an entry with their count; only the first has to wait for the database, and
 * for the actor's turn to read unless it has it already.
 */
export async function noteRead(
  ctx: Context,
  actor: Actor,
  event: ReadEvent,
  { inTurn = true } = {},
): Promise<void> {
  const minute = Math.floor(ctx.clock.now().getTime() / 60_000)
  const group = `read ${minute} ${actor.id} ${actor.credential.id} ${event.environmentId}`
  const place = { minute, group }
  const store = (actor: Actor, event: ReadEvent, key: string) =>
    inTurn
      ? insert(ctx, actor, event, key)
      : ctx.limitReads.run(actor.id, () => insert(ctx, actor, event, key))
  const own = `${group} ${ownPart(actor, event)}`
  if (ctx.repeats.has(own) || ctx.repeats.sizeOf(group) < MOST_ENTRIES_PER_MINUTE) {
    return await ctx.repeats.count(own, place, () => store(actor, event, own))
  }
  const shared = { ...event, newValues: { secrets: [], total: null }, description: SHARED }
  await ctx.repeats.count(group, place, () => store(withoutSource(actor), shared, group))
}

const SHARED = 'Secrets were read many times, in many ways, within a minute.'

/** What tells a token's reads of one environment in one minute apart. */
const ownPart = ({ source }: Actor, event: ReadEvent): string =>
  JSON.stringify([source.ipAddress, source.userAgent, digestOf(event)])

const digests = new WeakMap<ReadEvent, string>()

/** Of what was read: computed once for an answer that is sent many times. */
function digestOf(event: ReadEvent): string {
  const known = digests.get(event)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(JSON.stringify(event.newValues)).digest('base64')
  digests.set(event, digest)
  return digest
}

const withoutSource = (actor: Actor): Actor => ({
  ...actor,
  source: { ...actor.source, ipAddress: null, userAgent: null },
})

/** Stores the entry of a read, or counts it in the one that another replica has stored; gives the entry's id. */
async function insert(ctx: Context, actor: Actor, event: ReadEvent, key: string): Promise<string> {
  const entry = entryRow(ctx, actor, actor.organisation.id, event)
  return await queries.insertOrCount(ctx.db, {
    ...entry,
    coalesce_key: createHash('sha256').update(key).digest(),
  })
}
