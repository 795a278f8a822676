import { blake2b } from '@noble/hashes/blake2.js'
import { type EnvironmentKeys, environmentKeyPair } from '../keys/environment-keys.ts'
import { keyDigester } from '../keys/key-digest.ts'
import { decapsulate } from '../keys/unwrapping.ts'
import { encapsulate, recipientOf } from '../keys/wrapping.ts'
import { yieldWhenDue } from '../yielding.ts'
import type { SealedOverride, SealedTexts } from './rekey-queries.ts'

/** Seals texts that were sealed under old keys again, under new ones. Dispose of it with the change. */
export type Resealer = Disposable &
  Readonly<{
    texts(rows: readonly SealedTexts[]): Promise<SealedTexts[]>
    overrides(rows: readonly SealedOverride[]): Promise<SealedOverride[]>
    /** Ends the memory of the keys that were agreed on so far. */
    forget(): void
  }>

/**
 * From an environment's old seed and salt to its new keys. Equal sealed texts stay equal: versions are compared by them. A
 * text that can't be opened stays as it is; so does the digest of a key that can't, or that is the digest of something
 * else.
 */
export function createResealer(
  before: Readonly<{ seed: string; salt: string }>,
  after: EnvironmentKeys,
): Resealer {
  const { publicKey, secretKey } = environmentKeyPair(before.seed)
  let decapsulation = decapsulate(publicKey, secretKey)
  const encapsulation = encapsulate(recipientOf(Buffer.from(after.publicKey, 'hex')))
  const oldDigest = keyDigester(before.salt)
  const newDigest = keyDigester(after.salt)
  const pause = yieldWhenDue()
  // The nonce follows from the sealed text, with a key of this renewal alone: so no text has to be remembered.
  const nonceKey = crypto.getRandomValues(new Uint8Array(32))
  const nonceOf = (text: string) => blake2b(Buffer.from(text), { key: nonceKey, dkLen: NONCE_BYTES })

  const reseal = async (text: string): Promise<string> => {
    if (text === '') return ''
    await pause()
    // As bytes: what no server would take for a text, a client may have sealed.
    const plain = bytesOf(text)
    return plain === null ? text : encapsulation.wrap(plain, nonceOf(text))
  }
  const bytesOf = (text: string): Uint8Array | null => {
    try {
      return decapsulation.unwrapBytes(text)
    } catch {
      return null
    }
  }
  const digestAgain = (key: string, digest: string): string => {
    const name = bytesOf(key)
    if (name === null) return digest
    // Some clients compute the digest of a name before they write it in capitals.
    const digested = [name, Buffer.from(name).toString().toLowerCase()].find(
      (one) => oldDigest(one) === digest,
    )
    return digested === undefined ? digest : newDigest(digested)
  }

  return {
    texts: async (rows) => {
      const again: SealedTexts[] = []
      for (const { key, key_digest, value, comment, ...rest } of rows) {
        again.push({
          ...rest,
          key: await reseal(key),
          key_digest: digestAgain(key, key_digest),
          value: await reseal(value),
          comment: await reseal(comment),
        })
      }
      return again
    },
    overrides: async (rows) => {
      const again: SealedOverride[] = []
      for (const { id, value } of rows) again.push({ id, value: await reseal(value) })
      return again
    },
    forget: () => {
      // It keeps a key for each ephemeral key, of which every client makes many.
      decapsulation[Symbol.dispose]()
      decapsulation = decapsulate(publicKey, secretKey)
    },
    [Symbol.dispose]: () => {
      decapsulation[Symbol.dispose]()
      encapsulation[Symbol.dispose]()
      nonceKey.fill(0)
    },
  }
}

const NONCE_BYTES = 24
