import { answer, api, textAt } from '../api/client.ts'
import type { NewSecret, Secret, SecretChange } from './secret.ts'
import type { NamedEnvironment } from './secret-rows.ts'

/** A file to import, or the text that somebody pasted. */
export type SecretFile = { content: string; format: 'dotenv' | 'json'; path: string }
export type Imported = Record<'created' | 'changed' | 'unchanged', { key: string; path: string }[]>

export const EXPORT_FORMATS = ['dotenv', 'json', 'yaml', 'kubernetes'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/**
 * Where the secrets of an app are read and written. Each call is about one environment, and is done as a whole or not at
 * all. Where server-side encryption is on, the server seals and opens; where it is off, this browser does.
 */
export type Store = Readonly<{
  list(environment: NamedEnvironment): Promise<Secret[]>
  create(environment: NamedEnvironment, secrets: NewSecret[]): Promise<unknown>
  update(environment: NamedEnvironment, changes: SecretChange[]): Promise<unknown>
  remove(environment: NamedEnvironment, ids: string[]): Promise<unknown>
  /** The reader's own value of a secret; null removes it. */
  override(environment: NamedEnvironment, id: string, value: string | null): Promise<unknown>
  import(environment: NamedEnvironment, file: SecretFile, dryRun: boolean): Promise<Imported>
  /** The text of a file with the secrets of a path, or of all paths. */
  export(environment: NamedEnvironment, format: ExportFormat, path: string | undefined): Promise<string>
}>

const listInClear = (app_id: string, env: string) =>
  answer(api.v1.secrets.get({ query: { app_id, env, raw: 'true' } }))

/** A sealed value is never shown, so the page doesn't keep it either. */
export const withoutSealedValue = (secret: Secret): Secret =>
  secret.type === 'sealed' ? { ...secret, value: '' } : secret

/** The store of an app whose server-side encryption is on. */
export function plainStore(appId: string): Store {
  const place = ({ name }: NamedEnvironment) => ({ query: { app_id: appId, env: name } })
  return {
    list: async ({ name }) => (await listInClear(appId, name)).map(withoutSealedValue),
    create: (environment, secrets) => answer(api.v1.secrets.post({ secrets }, place(environment))),
    update: (environment, secrets) => answer(api.v1.secrets.put({ secrets }, place(environment))),
    remove: (environment, secrets) => answer(api.v1.secrets.delete({ secrets }, place(environment))),
    override: (_, id, value) =>
      value === null
        ? answer(api.v1.secrets({ id }).override.delete())
        : answer(api.v1.secrets({ id }).override.put({ plain_value: value, is_active: true })),
    import: (environment, file, dryRun) =>
      answer(api.v1.secrets.import.post({ ...file, dry_run: dryRun }, place(environment))),
    export: ({ name: env }, format, path) =>
      textAt('/v1/secrets/export', { app_id: appId, env, format, ...(path !== undefined && { path }) }),
  }
}
