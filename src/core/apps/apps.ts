import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record, recordAll } from '../audit/audit.ts'
import { createEnvironments } from '../environments/creation.ts'
import { DEFAULT_ENVIRONMENTS, requireDistinct } from '../environments/environment.ts'
import * as environmentEvents from '../environments/environment-events.ts'
import { requireFreeName } from '../names.ts'
import { creationOrder, type Page, type PageRequest, pageRange, toPage } from '../pagination.ts'
import { enforce } from '../policy.ts'
import { found } from '../rows.ts'
import { nameKey } from '../text.ts'
import { changeOrganisation } from '../transactions.ts'
import {
  type App,
  type AppRow,
  type AppValues,
  type CreateApp,
  inputValues,
  present,
  rowValues,
  type UpdateApp,
} from './app.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/** The apps that the caller can access, each with the environments that it can access, oldest first. */
export async function list(ctx: Context, actor: Actor, request: PageRequest): Promise<Page<App>> {
  const window = pageRange(ctx, 'apps', request)
  const rows = await queries.list(ctx.db, actor, window)
  return toPage(ctx, 'apps', window, rows, creationOrder, present)
}

/** One app with the environments that the caller can access; 404 when it can access no such app. */
export const get = async (ctx: Context, actor: Actor, id: string): Promise<App> =>
  present(await existing(ctx.db, actor, id))

/**
 * Creates an app and its environments, each with keys of its own. A creator without global access is granted them.
 * 400 when an environment is named twice, 409 for an app's name that is taken.
 */
export const create = async (ctx: Context, caller: Actor, input: CreateApp): Promise<App> => {
  const { environments: names = DEFAULT_ENVIRONMENTS, ...rest } = input
  requireDistinct(names)
  const values: AppValues = { name: '', description: null, ...inputValues(rest) }
  return await changeOrganisation(ctx, caller, async (tx, actor) => {
    await requireFreeName(tx, 'apps', actor.organisation.id, values.name)
    const now = ctx.clock.now()
    const row = await queries.insert(tx, actor, {
      id: randomUUID(),
      organisation_id: actor.organisation.id,
      name_key: nameKey(values.name),
      ...values,
      created_at: now,
      updated_at: now,
    })
    const environments = await createEnvironments(ctx, tx, actor, { id: row.id, firstIndex: 0 }, names)
    await recordAll(ctx, tx, actor, [
      {
        eventType: 'app.created',
        ...about(row),
        newValues: { ...rowValues(row), environments: environments.length },
        description: `App "${row.name}" created.`,
      },
      ...environments.map((environment) => environmentEvents.created(row, environment)),
    ])
    return present({ ...row, environments })
  })
}

/** Changes an app; fields that were not sent keep their values. 404 as for `get`, 409 for a name that is taken. */
export const update = (ctx: Context, caller: Actor, id: string, input: UpdateApp): Promise<App> =>
  changeOrganisation(ctx, caller, async (tx, actor) => {
    const row = await existing(tx, actor, id)
    const before = rowValues(row)
    const after: AppValues = { ...before, ...inputValues(input) }
    await requireFreeName(tx, 'apps', actor.organisation.id, after.name, row.id)
    if (isDeepStrictEqual(before, after)) return present(row)
    const stored = await queries.update(tx, actor, row.id, nameKey(after.name), after, ctx.clock.now())
    await record(ctx, tx, actor, {
      eventType: 'app.updated',
      ...about(stored),
      oldValues: before,
      newValues: rowValues(stored),
      description: `App "${stored.name}" changed.`,
    })
    return present(stored)
  })

/**
 * Deletes an app with its environments, their keys and every access to them. 404 as for `get`, 403 for a caller that
 * can't open every environment of it.
 */
export const remove = (ctx: Context, caller: Actor, id: string): Promise<void> =>
  changeOrganisation(ctx, caller, async (tx, actor) => {
    const row = await existing(tx, actor, id)
    const environments = await queries.allEnvironments(tx, actor.organisation.id, row.id)
    enforce(policy.remove, { actor, hiddenEnvironments: environments.length - row.environments.length })
    await queries.remove(tx, row.id)
    await recordAll(ctx, tx, actor, [
      {
        eventType: 'app.deleted',
        ...about(row),
        oldValues: { ...rowValues(row), environments: environments.length },
        description: `App "${row.name}" deleted.`,
      },
      ...environments.map((environment) => environmentEvents.deleted(row, environment)),
    ])
  })

async function existing(db: Queryable, actor: Actor, id: string): Promise<AppRow> {
  return found(await queries.find(db, actor, id), 'App')
}

/** Names no environment: whoever can open one of the app's reads it, also of the others. */
const about = (app: { id: string; name: string }) => ({
  resourceId: app.id,
  resourceMetadata: { name: app.name },
  appId: app.id,
})
