import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { actorHasGlobalAccess } from '../access.ts'
import type { Actor } from '../actor.ts'
import { conflict } from '../errors.ts'
import { grantToCreator } from '../grants/grants.ts'
import { generateEnvironmentKeys } from '../keys/environment-keys.ts'
import { requireRoom } from '../limits.ts'
import { nameKey } from '../text.ts'
import {
  DEFAULT_ENVIRONMENTS,
  ENVIRONMENTS,
  type EnvironmentRow,
  OWN_ENVIRONMENTS,
  typeOf,
} from './environment.ts'
import { addKeyCopies, wrapForServer } from './key-copies.ts'
import * as queries from './queries.ts'

/** Wrapping and storing so many key copies takes about two seconds, for which other changes of the organisation wait. */
const COPIES_AT_ONCE = 20_000

/**
 * Adds environments to an app, each with its own keys: wrapped for the server, a copy for every principal with global
 * access, a grant and a copy for a creator without. The number of statements does not depend on that of environments.
 * Requires the organisation's lock and checked names; indexes count up from `firstIndex`. 409 beyond what there can be,
 * and for more than can get their key copies at once.
 */
export async function createEnvironments(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  app: { id: string; firstIndex: number },
  names: readonly string[],
): Promise<readonly EnvironmentRow[]> {
  const organisationId = actor.organisation.id
  await requireRoomFor(tx, actor, names.length)
  const principals = await queries.principalsForNewEnvironments(tx, organisationId, actor.id)
  requireFewCopies(names.length, principals.length)
  const now = ctx.clock.now()
  // Sorted, so that order by id equals order by index for environments created together.
  const ids = names.map(() => randomUUID()).sort()
  const rows = ids.map((id, place) => ({
    id,
    organisation_id: organisationId,
    app_id: app.id,
    index: app.firstIndex + place,
    ...named(names[place] as string),
    ...newKeys(ctx, id),
    created_at: now,
    updated_at: now,
  }))
  const stored = await queries.insert(tx, rows)
  if (!actorHasGlobalAccess(actor)) {
    const grants = ids.map((environmentId) => ({ appId: app.id, environmentId }))
    await grantToCreator(tx, actor, grants, now)
  }
  await addKeyCopies(ctx, tx, organisationId, principals, rows)
  return stored
}

async function requireRoomFor(tx: Transaction, actor: Actor, added: number): Promise<void> {
  const { all, own } = await queries.counts(tx, actor)
  requireRoom(ENVIRONMENTS, all, added)
  if (!actorHasGlobalAccess(actor)) requireRoom(OWN_ENVIRONMENTS, own, added)
}

function requireFewCopies(environments: number, principals: number): void {
  const most = Math.max(DEFAULT_ENVIRONMENTS.length, Math.floor(COPIES_AT_ONCE / principals))
  if (environments <= most) return
  throw conflict(
    `So many have global access here that at most ${most} environments can be created at once. Create the others afterwards.`,
  )
}

const named = (name: string) => ({ name, name_key: nameKey(name), env_type: typeOf(name) })

function newKeys(ctx: Context, id: string) {
  const { publicKey, ...secrets } = generateEnvironmentKeys()
  return { public_key: publicKey, ...wrapForServer(ctx, id, secrets) }
}
