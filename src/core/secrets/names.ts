import { conflict } from '../errors.ts'

/** What a secret is told from others of its environment by: its path, and the digest of its key. */
export type SecretName = Readonly<{ path: string; key_digest: string }>

/** 409 when two secrets of a request have the same key at the same path. */
export function requireDistinctNames(secrets: readonly SecretName[]): void {
  const places = new Map<string, number>()
  for (const [index, name] of secrets.entries()) {
    const place = places.get(textOf(name))
    if (place !== undefined) {
      throw conflict(`secrets[${index}] has the key and the path of secrets[${place}].`)
    }
    places.set(textOf(name), index)
  }
}

/** 409 when a secret of a request has a name that is taken. */
export function requireFreeNames(secrets: readonly SecretName[], taken: readonly SecretName[]): void {
  const names = new Set(taken.map(textOf))
  const index = secrets.findIndex((secret) => names.has(textOf(secret)))
  if (index === -1) return
  const which = secrets.length === 1 ? 'this key' : `the key of secrets[${index}]`
  throw conflict(`A secret with ${which} already exists at ${secrets[index]?.path}.`)
}

const textOf = ({ path, key_digest }: SecretName): string => `${path} ${key_digest}`
