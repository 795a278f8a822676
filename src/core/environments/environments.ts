import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import type { CountedPage, ListRequest } from '../contract/lists.ts'
import { type IfMatch, requireMatch } from '../etags.ts'
import { filteredName, filterOf } from '../filters.ts'
import { requireFreeName } from '../names.ts'
import { listCounted } from '../pagination.ts'
import { found, written } from '../rows.ts'
import { removeLeftovers } from '../secrets/leftovers.ts'
import { holdKeys } from '../secrets/writing.ts'
import { orderOf, sortKeyIn } from '../sorting.ts'
import { nameKey } from '../text.ts'
import { beforeChange, changeOrganisation, waitAsHolder } from '../transactions.ts'
import { createEnvironments } from './creation.ts'
import {
  type CreateEnvironment,
  type Environment,
  type ListedEnvironment,
  present,
  presentListed,
  type UpdateEnvironment,
} from './environment.ts'
import * as events from './environment-events.ts'
import * as listQueries from './list-queries.ts'
import { ENVIRONMENT_ORDERS, type EnvironmentListRow } from './list-queries.ts'
import * as queries from './queries.ts'

/**
 * The environments of an app that pass the filters, by index, so oldest first, unless a sort is asked for; 404 when the caller
 * can access no such app.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  appId: string,
  request: Omit<ListRequest, 'role_id'>,
): Promise<CountedPage<ListedEnvironment>> {
  const filter = filterOf(request)
  const order = orderOf<EnvironmentListRow>(ENVIRONMENT_ORDERS, request.sort)
  return listCounted(ctx, request, {
    name: filteredName(`environments/${appId.toLowerCase()}`, filter, order),
    read: async (range) =>
      found(await listQueries.list(ctx.db, actor, { appId, filter }, order, range), 'App'),
    count: () => listQueries.count(ctx.db, actor, appId, filter),
    sortKey: sortKeyIn(order),
    present: presentListed,
  })
}

/** One environment; 404 when the caller can access no such environment. */
export const get = async (ctx: Context, actor: Actor, id: string): Promise<Environment> =>
  present(await existing(ctx.db, actor, id))

/**
 * Adds an environment with its own keys to an app. Every principal with global access gets a copy of them, a creator
 * without it a grant and a copy. 404 when the caller can access no such app, 409 when the name is taken in it.
 */
export const create = (
  ctx: Context,
  actor: Actor,
  appId: string,
  input: CreateEnvironment,
): Promise<Environment> =>
  changeOrganisation(ctx, actor, async (tx, actor) => {
    const app = found(await queries.findApp(tx, actor, appId), 'App')
    await requireFreeName(tx, 'environments', app.id, input.name)
    const place = { id: app.id, firstIndex: app.next_index }
    const row = written(await createEnvironments(ctx, tx, actor, place, [input.name]))
    await record(ctx, tx, actor, events.created(app, row))
    return present(row)
  })

/**
 * Renames an environment; its type stays. 404 as for `get`, 409 when the name is taken in its app, and while its keys are
 * being renewed, which new names could keep from ever ending; 412 unless `ifMatch` names it as it is; 503 where changes of
 * its secrets take too long.
 */
export const update = (
  ctx: Context,
  actor: Actor,
  id: string,
  input: UpdateEnvironment,
  ifMatch: IfMatch = null,
): Promise<Environment> =>
  changeEnvironment(ctx, actor, id, async (tx, actor) => {
    const row = await existing(tx, actor, id)
    await requireMatch(ifMatch, () => present(row))
    await requireFreeName(tx, 'environments', row.app_id, input.name, row.id)
    if (row.name === input.name) return present(row)
    await holdKeys(tx, actor.organisation.id, row.id)
    await waitAsHolder(tx)
    const stored = await queries.rename(tx, row.id, input.name, nameKey(input.name), ctx.clock.now())
    await record(ctx, tx, actor, events.renamed(appOf(row), row, stored.name))
    return present(stored)
  })

/** Deletes an environment with its keys and all access to it; 404 as for `get`, 412 as for `update`. */
export const remove = (ctx: Context, actor: Actor, id: string, ifMatch: IfMatch = null): Promise<void> =>
  changeEnvironment(ctx, actor, id, async (tx, actor) => {
    const row = await existing(tx, actor, id)
    await requireMatch(ifMatch, () => present(row))
    await queries.remove(tx, row.id)
    await removeLeftovers(tx)
    await record(ctx, tx, actor, events.deleted(appOf(row), row))
  })

/** A change of the organisation that locks an environment's row. 404 before it waits in the line of one that it can't open. */
async function changeEnvironment<T>(
  ctx: Context,
  actor: Actor,
  id: string,
  work: (tx: Transaction, actor: Actor) => Promise<T>,
): Promise<T> {
  await beforeChange(ctx, actor, () => existing(ctx.db, actor, id))
  return await changeOrganisation(ctx, actor, work, id)
}

async function existing(db: Queryable, actor: Actor, id: string): Promise<queries.EnvironmentOfApp> {
  return found(await queries.find(db, actor, id), 'Environment')
}

const appOf = (row: queries.EnvironmentOfApp) => ({ id: row.app_id, name: row.app_name })
