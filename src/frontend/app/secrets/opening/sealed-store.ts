import { notOpenable } from '../../../../core/plain-secrets/not-openable.ts'
import { answer, api } from '../../api/client.ts'
import type { NewSecret, Secret, SecretChange } from '../secret.ts'
import type { NamedEnvironment } from '../secret-rows.ts'
import { type Store, withoutSealedValue } from '../store.ts'
import { type KeyRing, keysOf, loadKeyRing } from './environment-keys.ts'
import { opener, sealer } from './sealed-text.ts'

/** The store of an app whose server-side encryption is off: this browser seals and opens, the server sees ciphertext only. */
export async function createSealedStore(appId: string): Promise<Store> {
  let ring: KeyRing = await loadKeyRing()
  const read = async (environment: NamedEnvironment, { leaveOut = false } = {}): Promise<Secret[]> => {
    const sealed = await listSealed(environment)
    try {
      return await openAll(ring, environment, sealed)
    } catch {
      // The keys may have been renewed since they were loaded.
      ring = await loadKeyRing()
      return await openAll(ring, environment, sealed, { leaveOut })
    }
  }
  const store: Store = {
    list: async (environment) => (await read(environment)).map(withoutSealedValue),
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
    import: async (environment, file, dryRun) => {
      const { compareFile } = await import('./sealed-files.ts')
      const { imported, created, changed } = compareFile(file, await read(environment))
      if (!dryRun && changed.length > 0) await store.update(environment, changed)
      if (!dryRun && created.length > 0) {
        await store.create(environment, created).catch((error: Error) => {
          throw changed.length === 0 ? error : new Error(`${ONLY_CHANGED} ${error.message}`, { cause: error })
        })
      }
      return imported
    },
    export: async (environment, format, path) => {
      const { exportSecrets } = await import('./sealed-files.ts')
      const { environments } = await answer(api.v1.apps({ id: appId }).get())
      return await exportSecrets(format, path, environment, environments, read)
    },
  }
  return store
}

const placeOf = ({ id }: NamedEnvironment) => ({ headers: { environment: id, 'x-use-camel-case': 'true' } })

const listSealed = async (environment: NamedEnvironment): Promise<Secret[]> =>
  // With this header the answer has the fields of a secret in clear, sealed.
  (await answer(api.service.secrets.get(placeOf(environment)))) as unknown as Secret[]

/** Of an import, which is two requests. */
const ONLY_CHANGED = 'What was there has been changed, but what is new was not added:'

const AT_ONCE = 100

/**
 * Secrets in clear. The page stays responsive while many are opened. Throws, with its id, for one that can't be, unless these
 * are to be left out.
 */
async function openAll(
  ring: KeyRing,
  environment: NamedEnvironment,
  sealed: readonly Secret[],
  { leaveOut = false } = {},
): Promise<Secret[]> {
  const open = opener(keysOf(ring, environment).pair)
  const secrets: Secret[] = []
  for (const [place, secret] of sealed.entries()) {
    if (place % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve))
    try {
      secrets.push(openOne(open, secret))
    } catch {
      if (!leaveOut) throw notOpenable(secret.id)
    }
  }
  return secrets
}

const openOne = (open: (sealed: string) => string, secret: Secret): Secret => ({
  ...secret,
  key: open(secret.key),
  value: open(secret.value),
  comment: secret.comment === '' ? '' : open(secret.comment),
  override: secret.override && { ...secret.override, value: open(secret.override.value) },
})

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
