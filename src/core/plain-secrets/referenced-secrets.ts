import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { noteRead } from '../audit/reads.ts'
import type { Room } from '../large-reads.ts'
import type { SecretRow } from '../secrets/secret.ts'
import { readEventOf } from '../secrets/secret-events.ts'
import { yieldWhenDue } from '../yielding.ts'
import { openEnvironments } from './opened-environments.ts'
import { agreementBytes, type OpenedEnvironment, requireKeysOf } from './opening.ts'
import * as queries from './queries.ts'
import type { ReferringSecret, Wanted } from './reference-graph.ts'
import { mayRefer } from './reference-syntax.ts'
import { resolveReferences } from './references.ts'

/** So many characters of ciphertext are read for the references of one answer. */
const MOST_CHARACTERS = 24 * 1024 * 1024

/** To follow the references in a character of a value takes about as long as to read so many. */
const WORK_PER_CHARACTER = 8

/** What a secret that is referred to takes is known once it is read; until then, it counts so much. */
const CHARACTERS_EACH = 1024

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
  room: Room,
): Promise<SecretRow[]> {
  if (!rows.some(({ value, override }) => mayRefer(value) || mayRefer(override?.value ?? '')))
    return [...rows]
  using finder = createFinder(ctx, actor, environment, rows, room)
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
  const referring = texts.filter(({ value }) => mayRefer(value))
  const work = WORK_PER_CHARACTER * referring.reduce((sum, { value }) => sum + value.length, 0)
  await room.read(
    async () => {},
    () => work,
    async () => work,
  )
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
function createFinder(
  ctx: Context,
  actor: Actor,
  own: OpenedEnvironment,
  rows: readonly SecretRow[],
  room: Room,
) {
  const environments = openEnvironments(ctx, actor, own)
  const known = new Map<string, ReferringSecret>()
  for (const row of rows) known.set(nameOf(own.row.id, row.path, row.key_digest), effective(own.row.id, row))
  const read = new Map<string, queries.ReferencedRow[]>()
  const pause = yieldWhenDue()

  let charactersLeft = MOST_CHARACTERS

  // A renewal of keys gives all secrets other digests: by those from before it, none is found.
  const requireSameKeys = async (names: readonly queries.SecretName[]): Promise<void> => {
    const ids = new Set(names.map(({ environment_id }) => environment_id))
    for (const { id, public_key } of await queries.publicKeysOf(ctx.db, [...ids])) {
      const environment = environments.get(id)
      if (environment !== undefined) requireKeysOf(environment, public_key)
    }
  }

  const load = async (names: readonly queries.SecretName[]): Promise<void> => {
    const found = await room.read(
      () => queries.findReferenced(ctx.db, actor, names, charactersLeft),
      bytesToOpen,
      async () => names.length * CHARACTERS_EACH,
    )
    charactersLeft -= charactersOf(found)
    if (found.length < names.length) await requireSameKeys(names)
    for (const row of found) {
      const environment = environments.get(row.environment_id)
      if (environment === undefined) continue
      requireKeysOf(environment, row.public_key)
      await pause()
      room.requireWaiting()
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
      const places = await environments.find(wanted)
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
      // Each once, however many references spell it in their own way: so the audit log names it once.
      const missing = new Map<string, queries.SecretName>()
      for (const name of names) {
        if (name !== null && !known.has(nameText(name))) missing.set(nameText(name), name)
      }
      if (missing.size > 0) await load([...missing.values()])
      return names.map((name) => (name === null ? null : (known.get(nameText(name)) ?? null)))
    },
    note: async (): Promise<void> => {
      for (const [id, secrets] of read) {
        const row = environments.get(id)?.row
        if (row !== undefined) await noteRead(ctx, actor, readEventOf(row, secrets))
      }
    },
    [Symbol.dispose]: () => environments[Symbol.dispose](),
  }
}

const bytesToOpen = (rows: readonly queries.ReferencedRow[]): number =>
  charactersOf(rows) + agreementBytes(rows.map(({ value, override_value }) => override_value ?? value))

const charactersOf = (rows: readonly queries.ReferencedRow[]): number =>
  rows.reduce((sum, { value, override_value }) => sum + value.length + (override_value?.length ?? 0), 0)

const effective = (environmentId: string, { id, value, override }: SecretRow): ReferringSecret => ({
  id,
  environmentId,
  value: override?.is_active === true ? override.value : value,
})

const nameOf = (environmentId: string, path: string, keyDigest: string): string =>
  `${environmentId} ${path} ${keyDigest}`

const nameText = ({ environment_id, path, key_digest }: queries.SecretName): string =>
  nameOf(environment_id, path, key_digest)
