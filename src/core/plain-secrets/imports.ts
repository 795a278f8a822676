import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { enforce } from '../policy.ts'
import { StrictObject } from '../schema.ts'
import { writeBatch } from '../secrets/batch.ts'
import { normalisePath, Path } from '../secrets/paths.ts'
import type { SecretRow } from '../secrets/secret.ts'
import { yieldWhenDue } from '../yielding.ts'
import { parseDotenv } from './dotenv.ts'
import { parseJsonFile } from './json-file.ts'
import type { KeyValue } from './key-values.ts'
import { changeOpened, type NamedPlace, type OpenedEnvironment, textOpener } from './opening.ts'
import { sealedPlace } from './plain-secrets.ts'
import * as policy from './policy.ts'
import { sealChanges, sealNew } from './sealing.ts'
import { requireUsable } from './usable-entries.ts'

/** The body that imports a file. */
export const ImportSecrets = StrictObject({
  content: Type.String({ description: 'The text of the file.' }),
  format: Type.Optional(
    Type.Union([Type.Literal('dotenv'), Type.Literal('json')], { description: '`dotenv` when absent.' }),
  ),
  path: Type.Optional(Path('Where its secrets belong; / when absent.')),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only tells what would happen.' })),
})
export type ImportSecrets = Static<typeof ImportSecrets>

/** What a secret is told by in an answer. */
export const NamedSecret = Type.Object({ key: Type.String(), path: Type.String() })
export type NamedSecret = Static<typeof NamedSecret>

/** What an import did, or would do. */
export const Imported = Type.Object({
  dryRun: Type.Boolean(),
  created: Type.Array(NamedSecret),
  changed: Type.Array(NamedSecret, { description: 'Those that have another value.' }),
  unchanged: Type.Array(NamedSecret, { description: 'Those that have the same value already.' }),
})
export type Imported = Static<typeof Imported>

/**
 * Writes the keys and values of a file into an environment, all or none; comments, tags and types stay, and what the file
 * lacks stays, too. 400 for a file that can't be read, which names its wrong lines; 403 without the permission to read, or to
 * update where the file changes something, and for more secrets than there can be; 409 where a secret that can't be opened
 * is in the way. A dry run is refused as the import would be.
 */
export const importFile = (
  ctx: Context,
  actor: Actor,
  place: NamedPlace,
  { content, format = 'dotenv', path = '/', dry_run = false }: ImportSecrets,
): Promise<Imported> =>
  changeOpened(ctx, actor, place, async (environment) => {
    enforce(policy.importFile, { actor, changed: 0 })
    const endTurn = await ctx.waitToBlock(actor)
    const entries = format === 'json' ? parseJsonFile(content) : parseDotenv(content)
    requireUsable(entries)
    endTurn()
    const at = normalisePath(path)
    const named = (all: readonly KeyValue[]) => all.map(({ key }) => ({ key, path: at }))
    const plan = async (present: readonly SecretRow[]) => {
      const { created, changed, unchanged } = await compare(environment, entries, present)
      enforce(policy.importFile, { actor, changed: changed.length })
      const [added, changes] = await seal(environment, at, created, changed)
      const names = { created: named(created), changed: named(changed), unchanged: named(unchanged) }
      return { imported: { dryRun: dry_run, ...names }, added, changes }
    }
    const options = { isDryRun: dry_run }
    const { imported } = await writeBatch(ctx, actor, sealedPlace(environment), at, plan, options)
    return imported
  })

type Changed = KeyValue & { row: SecretRow }
type Compared = { created: KeyValue[]; changed: Changed[]; unchanged: KeyValue[] }

/** What is new, and what has another value, as it is stored. */
async function seal(
  environment: OpenedEnvironment,
  path: string,
  created: readonly KeyValue[],
  changed: readonly Changed[],
) {
  const rows = changed.map(({ row }) => row)
  const changes = changed.map(({ row, value }) => ({ id: row.id, value }))
  const added = created.map(({ key, value }) => ({ key, value, path }))
  return [await sealNew(environment, added), await sealChanges(environment, changes, rows, true)] as const
}

/** What of the entries is new, what has another value, and what is there already. */
async function compare(
  environment: OpenedEnvironment,
  entries: readonly KeyValue[],
  present: readonly SecretRow[],
): Promise<Compared> {
  const byDigest = new Map(present.map((row) => [row.key_digest, row]))
  const open = textOpener(environment)
  const pause = yieldWhenDue()
  const compared: Compared = { created: [], changed: [], unchanged: [] }
  for (const entry of entries) {
    await pause()
    const row = byDigest.get(environment.digest(entry.key))
    if (row === undefined) compared.created.push(entry)
    else if ((await open(row.id, row.value)) === entry.value) compared.unchanged.push(entry)
    else compared.changed.push({ ...entry, row })
  }
  return compared
}
