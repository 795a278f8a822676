import { decodeCanonicalBase64, decodeText, decryptBytes } from './encryption.ts'
import { senderKey } from './session-keys.ts'
import { importX25519Public, importX25519Secret, x25519SharedSecret } from './x25519.ts'
import { nonceBytes } from './xchacha20poly1305.ts'

/**
 * What opens the texts that were wrapped for one recipient. Texts with the same ephemeral key cost one key agreement
 * together. Dispose of it with the request, as `using` does.
 */
export type Decapsulation = Disposable & {
  /**
   * The text of a `ph:v1` string. Throws one and the same Error for a malformed value, one for another recipient and one
   * that was changed; another one once it is disposed of.
   */
  readonly unwrap: (wrapped: string) => string
  /** The bytes of a `ph:v1` string, also where they are no text. Throws as `unwrap`. */
  readonly unwrapBytes: (wrapped: string) => Uint8Array
  /** How many key agreements it has made. */
  readonly agreements: () => number
}

/** Opens texts with a recipient's 32-byte X25519 keys. */
export function decapsulate(x25519Public: Uint8Array, x25519Secret: Uint8Array): Decapsulation {
  const secretKey = importX25519Secret(x25519Secret)
  // By ephemeral key; null where it gives no key.
  const keys = new Map<string, Uint8Array | null>()
  let isDisposed = false
  const keyFor = (ephemeralHex: string): Uint8Array | null => {
    const known = keys.get(ephemeralHex)
    if (known !== undefined) return known
    const key = agree(ephemeralHex)
    keys.set(ephemeralHex, key)
    return key
  }
  const agree = (ephemeralHex: string): Uint8Array | null => {
    const ephemeralPublic = Buffer.from(ephemeralHex, 'hex')
    try {
      const shared = x25519SharedSecret(secretKey, importX25519Public(ephemeralPublic))
      const key = senderKey(shared, ephemeralPublic, x25519Public)
      shared.fill(0)
      return key
    } catch {
      return null
    }
  }
  const open = <T>(wrapped: string, read: (bytes: Uint8Array) => T): T => {
    if (isDisposed) throw new Error('This decapsulation has ended.')
    try {
      const [, ephemeralHex = '', base64 = ''] = PATTERN.exec(wrapped) ?? []
      const key = ephemeralHex === '' ? null : keyFor(ephemeralHex)
      if (key === null) throw new Error('No key.')
      const bytes = decodeCanonicalBase64(base64)
      const end = bytes.length - nonceBytes
      return read(decryptBytes(key, { ciphertext: bytes.subarray(0, end), nonce: bytes.subarray(end) }))
    } catch {
      throw new Error('This wrapped key is malformed, was changed, or was wrapped for another recipient.')
    }
  }
  return {
    unwrap: (wrapped) => open(wrapped, decodeText),
    unwrapBytes: (wrapped) => open(wrapped, (bytes) => bytes),
    agreements: () => keys.size,
    [Symbol.dispose]() {
      isDisposed = true
      for (const key of keys.values()) key?.fill(0)
      keys.clear()
    },
  }
}

const PATTERN = /^ph:v1:([0-9a-f]{64}):([^:]*)$/

/** The ephemeral key of a `ph:v1` string, in hex; of anything else, some part of it. */
export const ephemeralKeyOf = (wrapped: string): string => wrapped.slice(6, 70)
