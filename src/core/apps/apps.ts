import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../context.ts'
import type { Queryable, Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record, recordAll } from '../audit/audit.ts'
import type { CountedPage, ListRequest } from '../contract/lists.ts'
import { createEnvironments } from '../environments/creation.ts'
import { DEFAULT_ENVIRONMENTS, requireDistinct } from '../environments/environment.ts'
import * as environmentEvents from '../environments/environment-events.ts'
import { conflict } from '../errors.ts'
import { type IfMatch, requireMatch } from '../etags.ts'
import { filteredName, filterOf } from '../filters.ts'
import type { Room } from '../large-reads.ts'
import { requireRoom } from '../limits.ts'
import { requireFreeName } from '../names.ts'
import { listCounted } from '../pagination.ts'
import { enforce } from '../policy.ts'
import { found } from '../rows.ts'
import { orderOf, sortKeyIn } from '../sorting.ts'
import { nameKey } from '../text.ts'
import { beforeChange, changeOrganisation, waitAsHolder } from '../transactions.ts'
import {
  APPS,
  type App,
  type AppRow,
  type AppValues,
  auditValues,
  type CreateApp,
  inputValues,
  present,
  rowValues,
  type UpdateApp,
} from './app.ts'
import { changeWithAppAlone, lockApp } from './app-lock.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'

/**
 * The apps that the caller can access and that pass the filters, each with the environments that it can access; oldest first
 * unless a sort is asked for.
 */
export async function list(
  ctx: Context,
  actor: Actor,
  request: Omit<ListRequest, 'role_id'>,
  room: Room,
): Promise<CountedPage<App>> {
  const filter = filterOf(request)
  const order = orderOf<queries.AppListRow>(queries.APP_ORDERS, request.sort)
  return listCounted(ctx, request, {
    name: filteredName('apps', filter, order),
    read: (range) => room.read(async () => queries.list(ctx.db, actor, filter, order, range), bytesOf, null),
    count: () => queries.count(ctx.db, actor, filter),
    sortKey: sortKeyIn(order),
    present,
  })
}

/** About how many bytes a list of apps takes as an answer. */
const bytesOf = (apps: readonly AppRow[]): number =>
  apps.reduce(
    (sum, app) => sum + descriptionBytes(app.description) + BYTES_EACH * (1 + app.environments.length),
    0,
  )

/** About how much of an answer one app takes, without its description, or one environment. */
const BYTES_EACH = 250

/** One app with the environments that the caller can access; 404 when it can access no such app. */
export const get = async (ctx: Context, actor: Actor, id: string): Promise<App> =>
  present(await existing(ctx.db, actor, id))

/**
 * Creates an app and its environments, each with its own keys. If the creator has no global access, it is granted them.
 * 400 when two environments have the same name, 409 when another app has the name or beyond what there can be.
 */
export const create = (ctx: Context, actor: Actor, input: CreateApp): Promise<App> => {
  const { environments: names = DEFAULT_ENVIRONMENTS, ...rest } = input
  requireDistinct(names)
  const values: AppValues = { name: '', description: null, sse_enabled: true, ...inputValues(rest) }
  return changeOrganisation(ctx, actor, async (tx, actor) => {
    await requireFreeName(tx, 'apps', actor.organisation.id, values.name)
    requireRoom(APPS, await queries.countAll(tx, actor.organisation.id))
    await requireRoomForDescription(tx, actor, null, values)
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
        ...eventAbout(row),
        newValues: { ...auditValues(row), environments: environments.length },
        description: `App "${row.name}" created.`,
      },
      ...environments.map((environment) => environmentEvents.created(row, environment)),
    ])
    return present({ ...row, environments })
  })
}

/**
 * Changes an app; fields that were not sent keep their values. 403 where `sse_enabled` is sent and the actor may not switch
 * the mode, 404 as for `get`, 409 when another app has the name or descriptions would take too much, 412 unless `ifMatch`
 * names the app as it is.
 */
export async function update(
  ctx: Context,
  actor: Actor,
  id: string,
  input: UpdateApp,
  ifMatch: IfMatch = null,
): Promise<App> {
  const renamed = await appToRename(ctx, actor, id, input.name)
  const change = async (tx: Transaction, actor: Actor): Promise<App> => {
    enforce(policy.update, { actor, setsEncryptionMode: input.sse_enabled !== undefined })
    const row = await existing(tx, actor, id)
    await requireMatch(ifMatch, () => present(row))
    const before = rowValues(row)
    const after: AppValues = { ...before, ...inputValues(input) }
    await requireFreeName(tx, 'apps', actor.organisation.id, after.name, row.id)
    if (isDeepStrictEqual(before, after)) return present(row)
    await requireRoomForDescription(tx, actor, before, after)
    // A new name locks the row as a deletion does. Only where somebody else gave the app its present name meanwhile.
    if (renamed === null && nameKey(after.name) !== nameKey(before.name)) {
      await waitAsHolder(tx)
      await lockApp(tx, row.id)
    }
    const stored = await queries.update(tx, actor, row.id, nameKey(after.name), after, ctx.clock.now())
    await record(ctx, tx, actor, {
      eventType: 'app.updated',
      ...eventAbout(stored),
      oldValues: auditValues(before),
      newValues: auditValues(stored),
      description: `App "${stored.name}" changed.`,
    })
    return present(stored)
  }
  return renamed === null
    ? await changeOrganisation(ctx, actor, change)
    : await changeWithAppAlone(ctx, actor, renamed.id, change)
}

/** The app that gets a new name; null where the name stays, or the actor can access no app of this id. */
async function appToRename(
  ctx: Context,
  actor: Actor,
  id: string,
  name: string | undefined,
): Promise<AppRow | null> {
  if (name === undefined) return null
  const row = await beforeChange(ctx, actor, () => queries.find(ctx.db, actor, id))
  return row === undefined || nameKey(row.name) === nameKey(name) ? null : row
}

/** 409 where a description grows beyond what those of all apps may take: a list of apps holds them all in memory. */
async function requireRoomForDescription(
  tx: Transaction,
  actor: Actor,
  before: AppValues | null,
  after: AppValues,
): Promise<void> {
  const added = descriptionBytes(after.description) - descriptionBytes(before?.description ?? null)
  if (added <= 0) return
  const present = await queries.allDescriptionBytes(tx, actor.organisation.id)
  if (present + added > DESCRIPTIONS_MIB * 1024 * 1024) {
    throw conflict(
      `The descriptions of the organisation's apps can take at most ${DESCRIPTIONS_MIB} MiB together. Shorten one first.`,
    )
  }
}

const DESCRIPTIONS_MIB = 8

/** As JSON, in which a control character takes six. */
const descriptionBytes = (text: string | null): number =>
  text === null ? 0 : Buffer.byteLength(JSON.stringify(text))

/** The app of this id; 404 when the actor can access none. */
export async function existing(db: Queryable, actor: Actor, id: string): Promise<AppRow> {
  return found(await queries.find(db, actor, id), 'App')
}

/**
 * What audit entries tell of an app. It names no environment: callers that can access one environment of the app see the
 * entry, also without the others.
 */
export const eventAbout = (app: { id: string; name: string }) => ({
  resourceId: app.id,
  resourceMetadata: { name: app.name },
  appId: app.id,
})
