import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import type { Page, PageRequest } from '../contract/lists.ts'
import { isId } from '../id.ts'
import { pageRange, toPage } from '../pagination.ts'
import { type AccessFilter, type AccessPair, type AccessPairRow, present } from './access-pair.ts'
import * as queries from './queries.ts'

/**
 * Which principal can access which environment, by role or by grant, in pages ordered by principal, then environment.
 * Principals with global access are listed with `via: role`, also for environments that were granted to them. The list
 * is empty for ids that the organisation doesn't have.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  filter: AccessFilter,
  request: PageRequest,
): Promise<Page<AccessPair>> {
  const range = pageRange(ctx, 'access', request, true)
  const canMatch = Object.values(filter).every((id) => id === undefined || isId(id))
  const rows = canMatch ? await queries.list(ctx.db, actor.organisation.id, filter, range) : []
  return toPage(ctx, 'access', range, rows, sortKey, present)
}

const sortKey = (row: AccessPairRow) => [row.principal_id, row.environment_id]
