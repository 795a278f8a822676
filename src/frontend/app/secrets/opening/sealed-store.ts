import { answer, api } from '../../api/client.ts'
import { valuesOf } from '../file-values.ts'
import type { NewSecret, Secret, SecretChange } from '../secret.ts'
import { type NamedEnvironment, nameOf } from '../secret-rows.ts'
import type { ExportFormat, Imported, SecretFile, Store } from '../store.ts'
import { type KeyRing, keysOf, loadKeyRing } from './environment-keys.ts'
import { opener, sealer } from './sealed-text.ts'

/** The store of an app whose server-side encryption is off: this browser seals and opens, the server sees ciphertext only. */
export async function createSealedStore(): Promise<Store> {
  let ring: KeyRing = await loadKeyRing()
  const store: Store = {
    list: async (environment) => {
      const sealed = await listSealed(environment)
      try {
        return await openAll(ring, environment, sealed)
      } catch {
        // The keys may have been renewed since they were loaded.
        ring = await loadKeyRing()
        return await openAll(ring, environment, sealed)
      }
    },
    create: (environment, secrets) =>
      answer(
        api.service.secrets.post({ secrets: secrets.map(sealNew(ring, environment)) }, placeOf(environment)),
      ),
    update: (environment, changes) =>
      answer(
        api.service.secrets.put(
          { secrets: changes.map(sealChange(ring, environment)) },
          placeOf(environment),
        ),
      ),
    remove: (environment, secrets) => answer(api.service.secrets.delete({ secrets }, placeOf(environment))),
    override: (environment, id, value) =>
      value === null
        ? answer(api.v1.secrets({ id }).override.delete())
        : answer(
            api.v1.secrets({ id }).override.put({
              value: sealer(keysOf(ring, environment).pair.publicKey)(value),
              is_active: true,
            }),
          ),
    import: (environment, file, dryRun) => importFile(store, environment, file, dryRun),
    export: async (environment, format, path) => exportFile(await store.list(environment), format, path),
  }
  return store
}

const placeOf = ({ id }: NamedEnvironment) => ({ headers: { environment: id, 'x-use-camel-case': 'true' } })

const listSealed = async (environment: NamedEnvironment): Promise<Secret[]> =>
  // With this header the answer has the fields of a secret in clear, sealed.
  (await answer(api.service.secrets.get(placeOf(environment)))) as unknown as Secret[]

const AT_ONCE = 100

/** Secrets in clear. The page stays responsive while many are opened. */
async function openAll(
  ring: KeyRing,
  environment: NamedEnvironment,
  sealed: readonly Secret[],
): Promise<Secret[]> {
  const open = opener(keysOf(ring, environment).pair)
  const secrets: Secret[] = []
  for (const [place, secret] of sealed.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve))
    const { override } = secret
    secrets.push({
      ...secret,
      key: open(secret.key),
      value: secret.type === 'sealed' ? '' : open(secret.value),
      comment: secret.comment === '' ? '' : open(secret.comment),
      override: override && { ...override, value: open(override.value) },
    })
  }
  return secrets
}

function sealNew(ring: KeyRing, environment: NamedEnvironment) {
  const { pair, digest } = keysOf(ring, environment)
  const seal = sealer(pair.publicKey)
  return ({ key, value, comment = '', ...rest }: NewSecret) => ({
    ...rest,
    key: seal(key),
    keyDigest: digest(key),
    value: seal(value),
    comment: comment === '' ? '' : seal(comment),
  })
}

function sealChange(ring: KeyRing, environment: NamedEnvironment) {
  const { pair, digest } = keysOf(ring, environment)
  const seal = sealer(pair.publicKey)
  return ({ key, value, comment, ...rest }: SecretChange) => ({
    ...rest,
    ...(key !== undefined && { key: seal(key), keyDigest: digest(key) }),
    ...(value !== undefined && { value: seal(value) }),
    ...(comment !== undefined && { comment: comment === '' ? '' : seal(comment) }),
  })
}

async function importFile(
  store: Store,
  environment: NamedEnvironment,
  file: SecretFile,
  dryRun: boolean,
): Promise<Imported> {
  const stored = new Map((await store.list(environment)).map((secret) => [nameOf(secret), secret]))
  const imported: Imported = { created: [], changed: [], unchanged: [] }
  const created: NewSecret[] = []
  const changed: SecretChange[] = []
  for (const { key, value } of valuesOf(file)) {
    const one = { key, path: file.path }
    const before = stored.get(nameOf(one))
    if (before === undefined) created.push({ ...one, value })
    else if (before.value !== value) changed.push({ id: before.id, value })
    imported[before === undefined ? 'created' : before.value === value ? 'unchanged' : 'changed'].push(one)
  }
  if (!dryRun && changed.length > 0) await store.update(environment, changed)
  if (!dryRun && created.length > 0) await store.create(environment, created)
  return imported
}

async function exportFile(
  secrets: Secret[],
  format: ExportFormat,
  path: string | undefined,
): Promise<string> {
  const entries = secrets.filter((secret) => path === undefined || secret.path === path)
  if (new Set(entries.map(({ key }) => key)).size < entries.length) {
    throw new Error('Several paths have the same key. Choose one of them in the tree.')
  }
  const { writeDotenv } = await import('../../../../core/plain-secrets/dotenv.ts')
  const { writeJsonFile } = await import('../../../../core/plain-secrets/json-file.ts')
  const inClear = entries.map(({ key, value, override }) => ({
    key,
    value: override?.isActive ? override.value : value,
  }))
  if (format === 'dotenv') return writeDotenv(inClear)
  if (format === 'json') return writeJsonFile(inClear)
  throw new Error(
    'Server-side encryption is off for this app: choose .env or JSON, which this browser writes.',
  )
}
