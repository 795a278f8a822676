import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type Actor, countedAs } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { badRequest, conflict } from '../errors.ts'
import { Instant, instantFrom } from '../instant.ts'
import { enforce } from '../policy.ts'
import { StrictObject } from '../schema.ts'
import { countWithin } from '../sign-in/sign-in-limits.ts'
import { beforeChange } from '../transactions.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import * as restoreQueries from './restore-queries.ts'
import { SecretType } from './sealed.ts'
import { eventOf } from './secret-events.ts'
import { changeSecrets } from './writing.ts'

/** The body that brings the secrets of an environment back to what they were. */
export const RestoreSecrets = StrictObject({
  at: Instant('When they were as they are to be again: ISO 8601 with `Z` or an offset, in the past.'),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only tells what would happen.' })),
})
export type RestoreSecrets = Static<typeof RestoreSecrets>

const Affected = Type.Object({
  id: Type.String(),
  path: Type.String(),
  type: SecretType,
  version: Type.Integer({ description: 'The version that counts.' }),
})

/** What restoring did, or would do. */
export const RestoredSecrets = Type.Object({
  dryRun: Type.Boolean(),
  restored: Type.Array(Affected, {
    description: 'Those that are as `version` of them was, deleted ones included.',
  }),
  deleted: Type.Array(Affected, { description: 'Those that were not there then.' }),
  unknown: Type.Array(Affected, {
    description:
      'Left alone: their versions of that time are no longer kept. Of a deleted one, `version` is its deletion. Deleted ones of which no version is kept are missing.',
  }),
  unchanged: Type.Integer({ description: 'How many were the same.' }),
})
export type RestoredSecrets = Static<typeof RestoredSecrets>

/**
 * How often one member, or together all service accounts that it is responsible for, can restore environments, dry runs
 * included: each keeps changes of the environment waiting for up to a second.
 */
export const RESTORES_PER_HOUR = 60

const countAttempt = (ctx: Context, actor: Actor): Promise<void> =>
  beforeChange(ctx, actor, () =>
    countWithin(
      ctx,
      { limit: RESTORES_PER_HOUR, windowSeconds: 3600 },
      ['restored environments', ...countedAs(actor)],
      `You can restore environments ${RESTORES_PER_HOUR} times an hour, dry runs included. Try again later.`,
    ),
  )

/**
 * Brings all secrets of an environment back to what they were at a time, as new versions: what was deleted since comes
 * back, what was created since is deleted. All or none; overrides stay. 404 when the actor can't open the environment, 400
 * for a time to come, 403 where it deletes or creates secrets that the actor may not, and beyond the limit, 409 where a
 * secret whose versions of that time are gone has the name of another one now, 429 beyond `RESTORES_PER_HOUR`. A dry run is
 * refused as the real one is.
 */
export const restoreAt = async (
  ctx: Context,
  actor: Actor,
  environmentId: string,
  { at, dry_run = false }: RestoreSecrets,
): Promise<RestoredSecrets> => {
  const time = instantFrom(at)
  if (time === null || time > ctx.clock.now()) throw badRequest('at must be a time in the past.')
  await countAttempt(ctx, actor)
  const restore = async (tx: Transaction, change: queries.Change) => {
    const states = await restoreQueries.statesAt(tx, change.environment.id, time)
    const plan = planOf(states)
    const created = plan.restored.filter(({ now_version }) => now_version === null).length
    enforce(policy.restoreAll, { actor, created, deleted: plan.deleted.length })
    requireFreeNames(plan)
    const present = states.filter(({ now_version }) => now_version !== null).length
    enforce(policy.add, { present: present - plan.deleted.length, added: created })
    await apply(ctx, tx, change, plan)
    return {
      dryRun: dry_run,
      restored: plan.restored.map((state) => shown(state, state.then_version)),
      deleted: plan.deleted.map((state) => shown(state, state.now_version)),
      unknown: plan.unknown.map((state) => shown(state, state.newest_version)),
      unchanged: plan.unchanged,
    }
  }
  return changeSecrets(ctx, actor, { environmentId }, restore, { isDryRun: dry_run })
}

type States = readonly restoreQueries.StateThen[]
type Plan = Readonly<{ restored: States; deleted: States; unknown: States; unchanged: number }>

function planOf(states: States): Plan {
  const unknown = states.filter(({ is_unknown }) => is_unknown)
  const known = states.filter(({ is_unknown }) => !is_unknown)
  return {
    unknown,
    restored: known.filter(({ then_version, is_same }) => then_version !== null && !is_same),
    deleted: known.filter(({ then_version, now_version }) => then_version === null && now_version !== null),
    unchanged: known.filter(({ is_same }) => is_same).length,
  }
}

function requireFreeNames({ restored, unknown }: Plan): void {
  const nameOf = ({ path, key_digest }: restoreQueries.StateThen) => `${path} ${key_digest}`
  const present = unknown.filter(({ now_version }) => now_version !== null)
  const taken = new Map(present.map((state) => [nameOf(state), state.id]))
  for (const state of restored) {
    const id = taken.get(nameOf(state))
    if (id === undefined) continue
    throw conflict(
      `The secret ${state.id} had the name that the secret ${id} has now, whose versions of that time are no longer kept. Rename or delete that one first.`,
    )
  }
}

async function apply(
  ctx: Context,
  tx: Transaction,
  change: queries.Change,
  { restored, deleted }: Plan,
): Promise<void> {
  if (restored.length + deleted.length === 0) return
  const { actor, environment } = change
  if (deleted.length > 0) {
    const removed = await queries.remove(
      tx,
      change,
      deleted.map(({ id }) => id),
    )
    await record(ctx, tx, actor, eventOf('secret.deleted', environment, removed))
  }
  if (restored.length > 0) {
    const versions = restored.map(({ id, then_version, newest_version }) => ({
      id,
      version: then_version ?? 0,
      next: newest_version + 1,
    }))
    await restoreQueries.restoreVersions(tx, change, versions)
    const refs = restored.map(({ id, path, type, newest_version }) => ({
      id,
      path,
      type,
      version: newest_version + 1,
    }))
    await record(ctx, tx, actor, eventOf('secret.restored', environment, refs))
  }
  await queries.markChanged(tx, change)
}

const shown = ({ id, path, type }: restoreQueries.StateThen, version: number | null) => ({
  id,
  path,
  type,
  version: version ?? 0,
})
