import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { type Page, type PageRequest, pageOf, windowOf } from '../pagination.ts'
import { isId } from '../schema.ts'
import * as queries from './queries.ts'
import { present, type Reach, type ReachFilter, type ReachRow } from './reach.ts'

/**
 * Who reaches which environment, by role or by grant, in pages ordered by principal, then environment. Global access
 * counts as the role's, whatever was granted beside it. An id that names nothing in the organisation gives nothing.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  filter: ReachFilter,
  request: PageRequest,
): Promise<Page<Reach>> {
  const window = windowOf(ctx, 'access', request, true)
  const canMatch = Object.values(filter).every((id) => id === undefined || isId(id))
  const rows = canMatch ? await queries.list(ctx.db, actor.organisation.id, filter, window) : []
  return pageOf(ctx, 'access', window, rows, sortKey, present)
}

const sortKey = (row: ReachRow) => [row.principal_id, row.environment_id]
