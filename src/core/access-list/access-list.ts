import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { isId } from '../id.ts'
import { type Page, type PageRequest, pageRange, toPage } from '../pagination.ts'
import { type AccessFilter, type AccessPair, type AccessPairRow, present } from './access-pair.ts'
import * as queries from './queries.ts'

/**
 * Who reaches which environment, by role or by grant, in pages ordered by principal, then environment. Global access
 * counts as the role's, whatever was granted beside it. An id that names nothing in the organisation gives nothing.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  filter: AccessFilter,
  request: PageRequest,
): Promise<Page<AccessPair>> {
  const window = pageRange(ctx, 'access', request, true)
  const canMatch = Object.values(filter).every((id) => id === undefined || isId(id))
  const rows = canMatch ? await queries.list(ctx.db, actor.organisation.id, filter, window) : []
  return toPage(ctx, 'access', window, rows, sortKey, present)
}

const sortKey = (row: AccessPairRow) => [row.principal_id, row.environment_id]
