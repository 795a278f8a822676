import { badRequest } from '../../../../core/errors.ts'
import { exportFile } from '../../../../core/plain-secrets/export-formats.ts'
import type { FindSecrets, ReferringSecret } from '../../../../core/plain-secrets/reference-graph.ts'
import { resolveReferences } from '../../../../core/plain-secrets/references.ts'
import { requireUsable } from '../../../../core/plain-secrets/usable-entries.ts'
import { pathFault } from '../../../../core/secrets/paths.ts'
import { valuesOf } from '../file-values.ts'
import type { NewSecret, Secret, SecretChange } from '../secret.ts'
import { type NamedEnvironment, nameOf } from '../secret-rows.ts'
import type { ExportFormat, Imported, SecretFile } from '../store.ts'

/** What a file adds and changes. What the server's import refuses is refused here, before anything is written. */
export function compareFile(file: SecretFile, secrets: readonly Secret[]) {
  const { path } = file
  const fault = pathFault(path, 'path')
  if (fault !== null) throw badRequest(fault)
  const entries = valuesOf(file)
  requireUsable(entries)
  const stored = new Map(secrets.map((secret) => [nameOf(secret), secret]))
  const imported: Imported = { created: [], changed: [], unchanged: [] }
  const created: NewSecret[] = []
  const changed: SecretChange[] = []
  for (const { key, value } of entries) {
    const before = stored.get(nameOf({ key, path }))
    if (before === undefined) created.push({ key, path, value })
    else if (before.value !== value) changed.push({ id: before.id, value })
    const outcome = before === undefined ? 'created' : before.value === value ? 'unchanged' : 'changed'
    imported[outcome].push({ key, path })
  }
  return { imported, created, changed }
}

/** Reads the secrets of an environment. Throws for one that can't be opened, unless these are to be left out. */
type Read = (environment: NamedEnvironment, options?: { leaveOut: boolean }) => Promise<readonly Secret[]>

/**
 * The text of a file with the secrets of a path, or of all paths: with the reader's own values, and with references resolved
 * that name no app. What the server's export refuses is refused here, too.
 */
export async function exportSecrets(
  format: ExportFormat,
  path: string | undefined,
  environment: NamedEnvironment,
  environments: readonly NamedEnvironment[],
  read: Read,
): Promise<string> {
  if (format === 'kubernetes') {
    throw new Error(
      'Server-side encryption is off for this app: choose .env, JSON or YAML, which this browser writes.',
    )
  }
  const own = await read(environment)
  const secrets = own.filter((secret) => path === undefined || secret.path === path)
  // What can't be opened can't be resolved.
  const readOnce = rememberedBy(async (other) =>
    other.id === environment.id ? own : await read(other, { leaveOut: true }),
  )
  const values = await resolveReferences(secrets.map(referring(environment)), finder(environments, readOnce))
  const entries = secrets.map(({ key, value }, place) => ({ key, value: values[place] ?? value }))
  return (await exportFile(format, entries, environment.name)).text
}

type ReadOnce = (environment: NamedEnvironment) => Promise<ReadonlyMap<string, Secret>>

/** Secrets by their names, of each environment read when it is first asked for. */
function rememberedBy(read: Read): ReadOnce {
  const known = new Map<string, Promise<ReadonlyMap<string, Secret>>>()
  return (environment) => {
    const before = known.get(environment.id)
    if (before !== undefined) return before
    const secrets = read(environment).then((all) => new Map(all.map((secret) => [nameOf(secret), secret])))
    known.set(environment.id, secrets)
    return secrets
  }
}

/** Finds what references name in the environments of one app; nothing of what names an app. */
const finder =
  (environments: readonly NamedEnvironment[], readOnce: ReadOnce): FindSecrets =>
  (wanted) =>
    Promise.all(
      wanted.map(async ({ environmentId, reference }) => {
        const name = reference.environment?.toLowerCase()
        const environment = environments.find((one) =>
          name === undefined ? one.id === environmentId : one.name.toLowerCase() === name,
        )
        if (reference.app !== null || environment === undefined) return null
        const secret = (await readOnce(environment)).get(nameOf(reference))
        return secret === undefined ? null : referring(environment)(secret)
      }),
    )

const referring =
  ({ id: environmentId }: NamedEnvironment) =>
  ({ id, value, override }: Secret): ReferringSecret => ({
    id,
    environmentId,
    value: override?.isActive ? override.value : value,
  })
