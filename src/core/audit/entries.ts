import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import type { FirstItems } from '../contract/first-items.ts'
import type { Page, PageRequest } from '../contract/lists.ts'
import { isId } from '../id.ts'
import { pageRange, pageWith } from '../pagination.ts'
import { type Entry, type EntryFilter, type EntryRow, present, visibilityFor } from './entry.ts'
import * as queries from './entry-queries.ts'
import { EVENTS } from './events.ts'

/**
 * The audit log, newest first, always in pages, which end early when their entries are large, or when many were passed over:
 * such a page may be empty although another one follows. Without global access, a caller sees neither entries about apps and
 * environments that it can't access, nor other actors' addresses.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  filter: EntryFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  const range = pageRange(ctx, 'audit', request, true)
  const rows = canMatch(filter)
    ? await queries.list(ctx.db, actor.organisation.id, filter, visibilityFor(actor), range)
    : []
  const hasMore = (rows[0]?.found ?? 0) > rows.length || rows.at(-1)?.is_end === true
  const page = pageWith(ctx, 'audit', rows, hasMore, sortKey, (row) => row)
  return { ...page, data: page.data.filter((row) => row.is_match).map(present) }
}

/**
 * The newest refusals since then, of those that the caller can see, and how many there are: counted up to `most`. Who was
 * only asked to sign in again was denied nothing, nor was anybody without a membership.
 */
export async function denialsSince(
  ctx: Context,
  actor: Actor,
  since: Date,
  { shown, most }: { shown: number; most: number },
): Promise<FirstItems<Entry>> {
  const visibility = visibilityFor(actor)
  const { data } = await list(ctx, actor, { from: since, outcome: 'denied' }, { limit: shown })
  return { total: await queries.countDenials(ctx.db, actor.organisation.id, visibility, since, most), data }
}

/** Whether there can be such entries: none have an actor with a malformed id, or an event of another resource. */
const canMatch = ({ actorId, appId, environmentId, eventType, resourceType }: EntryFilter): boolean =>
  [actorId, appId, environmentId].every((id) => id === undefined || isId(id)) &&
  (resourceType === undefined || (resourceOf(eventType) ?? resourceType) === resourceType)

/** The resource of an event; undefined for a refusal, whose entry may be of any. */
const resourceOf = (eventType = ''): string | undefined =>
  Object.hasOwn(EVENTS, eventType) ? EVENTS[eventType as keyof typeof EVENTS].resource : undefined

const sortKey = (row: EntryRow) => [row.timestamp.toISOString(), row.id]
