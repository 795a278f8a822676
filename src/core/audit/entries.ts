import type { Context } from '../../context.ts'
import { reachesEverything } from '../access.ts'
import type { Actor } from '../actor.ts'
import { type Page, type PageRequest, pageOf, windowOf } from '../pagination.ts'
import { isId } from '../schema.ts'
import { type Entry, type EntryFilter, type EntryRow, present, viewerOf } from './entry.ts'
import * as queries from './queries.ts'

/**
 * The audit trail, newest first, always in pages. A caller without global access doesn't see what is about apps and
 * environments that it can't access, nor where others called from.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  filter: EntryFilter,
  request: PageRequest,
): Promise<Page<Entry>> {
  const window = windowOf(ctx, 'audit', request, true)
  const viewer = viewerOf(actor, reachesEverything(actor))
  const canMatch = filter.actorId === undefined || isId(filter.actorId)
  const grantsOf = viewer.everything ? null : actor.id
  const rows = canMatch ? await queries.list(ctx.db, actor.organisation.id, filter, grantsOf, window) : []
  return pageOf(ctx, 'audit', window, rows, sortKey, (row) => present(row, viewer))
}

const sortKey = (row: EntryRow) => [row.timestamp.toISOString(), row.id]
