import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { noteRead } from '../audit/reads.ts'
import { pathFault } from '../secrets/paths.ts'
import type { SecretRow } from '../secrets/secret.ts'
import { eventOf } from '../secrets/secret-events.ts'
import { hasTooManyMarks, nameKey } from '../text.ts'
import { yieldWhenDue } from '../yielding.ts'
import { type OpenedEnvironment, opened, requireKeysOf, TEXTS_PER_TURN } from './opening.ts'
import * as queries from './queries.ts'
import type { ReferringSecret, Wanted } from './reference-graph.ts'
import { mayRefer, type Reference } from './reference-syntax.ts'
import { resolveReferences } from './references.ts'

/** So many environments beside the own one are opened for the references of one request. */
const MOST_ENVIRONMENTS = 100

/** So many characters of ciphertext are read for the references of one step. */
const MOST_CHARACTERS = 24 * 1024 * 1024

/**
 * Opened secrets of an environment with the references in their values resolved, and in those of the overrides. Other
 * environments are opened where the actor can open them and their apps have server-side encryption on; the audit log is
 * told what was read there. References take the actor's overrides where they count.
 */
export async function withReferences(
  ctx: Context,
  actor: Actor,
  environment: OpenedEnvironment,
  rows: readonly SecretRow[],
): Promise<SecretRow[]> {
  if (!rows.some(({ value, override }) => mayRefer(value) || mayRefer(override?.value ?? '')))
    return [...rows]
  using finder = createFinder(ctx, actor, environment, rows)
  const environmentId = environment.row.id
  const texts = rows.flatMap(({ id, value, override }): ReferringSecret[] => {
    const counts = override?.is_active === true
    if (override === null) return [{ id, environmentId, value }]
    // What references take has the secret's id.
    return [
      { id: counts ? `${id} stored` : id, environmentId, value },
      { id: counts ? id : `${id} own`, environmentId, value: override.value },
    ]
  })
  const resolved = await resolveReferences(texts, finder.find)
  await finder.note()
  let place = 0
  return rows.map((row) => {
    const value = resolved[place++] ?? row.value
    const { override } = row
    return {
      ...row,
      value,
      override: override && { ...override, value: resolved[place++] ?? override.value },
    }
  })
}

/** Finds what references name, for one request; `note` tells the audit log what was read of other environments. */
function createFinder(ctx: Context, actor: Actor, own: OpenedEnvironment, rows: readonly SecretRow[]) {
  const environments = new Map([[own.row.id, own]])
  const known = new Map<string, ReferringSecret>()
  for (const row of rows) known.set(nameOf(own.row.id, row.path, row.key_digest), effective(own.row.id, row))
  const read = new Map<string, queries.ReferencedRow[]>()
  const pause = yieldWhenDue(TEXTS_PER_TURN)

  /** The environments that references name, by their index; those that can't be opened are missing. */
  const findEnvironments = async (wanted: readonly Wanted[]): Promise<Map<number, OpenedEnvironment>> => {
    const found = new Map<number, OpenedEnvironment>()
    const names = new Map<string, { name: queries.EnvironmentName; places: number[] }>()
    for (const [place, { environmentId, reference }] of wanted.entries()) {
      const home = environments.get(environmentId)
      if (home === undefined || !canExist(reference)) continue
      if (reference.environment === null) {
        found.set(place, home)
        continue
      }
      const name = {
        app_id: reference.app === null ? home.row.app_id : null,
        app_key: reference.app === null ? null : nameKey(reference.app),
        environment_key: nameKey(reference.environment),
      }
      const entry = names.get(JSON.stringify(name))
      if (entry === undefined) names.set(JSON.stringify(name), { name, places: [place] })
      else entry.places.push(place)
    }
    const asked = [...names.values()]
    if (asked.length === 0) return found
    const room = MOST_ENVIRONMENTS + environments.size
    const rowsFound = await queries.findByNames(
      ctx.db,
      actor,
      asked.map(({ name }) => name),
      room,
    )
    for (const { index, ...row } of rowsFound) {
      const environment =
        environments.get(row.id) ?? (environments.size > MOST_ENVIRONMENTS ? null : opened(ctx, row))
      if (environment === null) continue
      environments.set(row.id, environment)
      for (const place of asked[index]?.places ?? []) found.set(place, environment)
    }
    return found
  }

  const load = async (names: readonly queries.SecretName[]): Promise<void> => {
    for (const row of await queries.findReferenced(ctx.db, actor, names, MOST_CHARACTERS)) {
      const environment = environments.get(row.environment_id)
      if (environment === undefined) continue
      requireKeysOf(environment, row.public_key)
      await pause()
      const value = environment.open(row.override_value ?? row.value)
      // What can't be opened can't be resolved.
      if (value === null) continue
      known.set(nameOf(row.environment_id, row.path, row.key_digest), {
        id: row.id,
        environmentId: row.environment_id,
        value,
      })
      const rows = read.get(row.environment_id)
      if (rows === undefined) read.set(row.environment_id, [row])
      else rows.push(row)
    }
  }

  return {
    find: async (wanted: readonly Wanted[]): Promise<(ReferringSecret | null)[]> => {
      const places = await findEnvironments(wanted)
      const names: (queries.SecretName | null)[] = []
      for (const [place, { reference }] of wanted.entries()) {
        await pause()
        const environment = places.get(place)
        const key_digest = environment?.digest(reference.key)
        names.push(
          environment === undefined || key_digest === undefined
            ? null
            : { environment_id: environment.row.id, path: reference.path, key_digest },
        )
      }
      const missing = names.filter((name) => name !== null && !known.has(nameText(name)))
      if (missing.length > 0) await load(missing as queries.SecretName[])
      return names.map((name) => (name === null ? null : (known.get(nameText(name)) ?? null)))
    },
    note: async (): Promise<void> => {
      for (const [id, secrets] of read) {
        const row = environments.get(id)?.row
        if (row !== undefined) await noteRead(ctx, actor, eventOf('secret.read', row, secrets))
      }
    },
    [Symbol.dispose]: () => {
      for (const environment of environments.values()) if (environment !== own) environment[Symbol.dispose]()
    },
  }
}

/** Whether there can be a secret of this name: a client may have sealed any text, and not each can be looked up. */
const canExist = ({ app, environment, path }: Reference): boolean =>
  pathFault(path, '') === null &&
  (environment === null || /^[A-Za-z0-9_-]{1,64}$/.test(environment)) &&
  (app === null || (app.length <= 256 && !app.includes('\0') && !hasTooManyMarks(app)))

const effective = (environmentId: string, { id, value, override }: SecretRow): ReferringSecret => ({
  id,
  environmentId,
  value: override?.is_active === true ? override.value : value,
})

const nameOf = (environmentId: string, path: string, keyDigest: string): string =>
  `${environmentId} ${path} ${keyDigest}`

const nameText = ({ environment_id, path, key_digest }: queries.SecretName): string =>
  nameOf(environment_id, path, key_digest)
