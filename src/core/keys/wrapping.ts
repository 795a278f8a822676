import { hash, type KeyObject } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { decodeCanonicalBase64, decryptText, type EncryptedText, encryptText } from './encryption.ts'
import { identityKeyToX25519Public } from './identity-keys.ts'
import { generateX25519Pair, importX25519Public, importX25519Secret, x25519SharedSecret } from './x25519.ts'
import { nonceBytes } from './xchacha20poly1305.ts'

/** For whom a text is wrapped, with the X25519 key imported once for any number of wraps. */
export type Recipient = { readonly publicKey: Uint8Array; readonly keyObject: KeyObject }

/**
 * The recipient with this identity key: 64 lower-case hex digits of an Ed25519 public key. Throws when it is not one.
 * The 4,096 that were asked for last are kept, all public: finding one's X25519 key costs as much as wrapping for it.
 */
export function prepareRecipient(identityPublicKeyHex: string): Recipient {
  const recipient =
    prepared.get(identityPublicKeyHex) ?? recipientOf(identityKeyToX25519Public(identityPublicKeyHex))
  // A map is in the order of insertion: the first one was asked for the longest time ago.
  prepared.delete(identityPublicKeyHex)
  prepared.set(identityPublicKeyHex, recipient)
  if (prepared.size > 4096) prepared.delete(prepared.keys().next().value as string)
  return recipient
}

/**
 * One key agreement with a recipient, for all the texts that one change wraps for it: each has a nonce of its own
 * (RFC 9180 §5.2 does the same, with a counter). Dispose of it with the change, as `using` does.
 */
export type Encapsulation = Disposable & {
  /** The text as `ph:v1:<ephemeral public key, hex>:<base64 of ciphertext ‖ tag ‖ nonce>`. Throws once it is disposed of. */
  readonly wrap: (text: string) => string
}

/**
 * Agrees on a key with a recipient, by a key pair made for this call alone. Throws for a low-order public key.
 *
 * The key is a client's sending key in libsodium's crypto_kx: the second half of
 * BLAKE2b-512(shared secret ‖ client public key ‖ server public key), the client being the ephemeral pair.
 */
export function encapsulate(recipient: Recipient): Encapsulation {
  // Nothing refers to the pair's secret half once this function has returned.
  const ephemeral = generateX25519Pair()
  const shared = x25519SharedSecret(ephemeral.secretKey, recipient.keyObject)
  const hash = sessionKeys(shared, ephemeral.publicKey, recipient.publicKey)
  shared.fill(0)
  const key = hash.subarray(32)
  const start = `ph:v1:${Buffer.from(ephemeral.publicKey).toString('hex')}:`
  let isDisposed = false
  return {
    wrap(text) {
      if (isDisposed) throw new Error('This encapsulation has ended.')
      const { ciphertext, nonce } = encryptText(key, text)
      return start + Buffer.concat([ciphertext, nonce]).toString('base64')
    },
    [Symbol.dispose]() {
      isDisposed = true
      hash.fill(0)
    },
  }
}

/** Wraps one text for a recipient, under an encapsulation of its own. */
export function wrapForRecipient(plaintextText: string, recipient: Recipient): string {
  using encapsulation = encapsulate(recipient)
  return encapsulation.wrap(plaintextText)
}

/** `wrapForRecipient` for the 32 bytes of an X25519 public key, such as an environment's. */
export function wrapForPublicKey(plaintextText: string, recipientX25519Public: Uint8Array): string {
  return wrapForRecipient(plaintextText, recipientOf(recipientX25519Public))
}

/**
 * The text that `wrapForRecipient` wrapped, from the recipient's 32-byte X25519 keys.
 * Throws one and the same Error for a malformed value, one for another recipient and one that was changed.
 */
export function unwrapWithSecretKey(
  wrapped: string,
  x25519Public: Uint8Array,
  x25519Secret: Uint8Array,
): string {
  const secretKey = importX25519Secret(x25519Secret)
  try {
    const { ephemeralPublic, encrypted } = parse(wrapped)
    const shared = x25519SharedSecret(secretKey, importX25519Public(ephemeralPublic))
    return decryptText(sessionKeys(shared, ephemeralPublic, x25519Public).subarray(32), encrypted)
  } catch {
    throw new Error('This wrapped key is malformed, was changed, or was wrapped for another recipient.')
  }
}

const prepared = new Map<string, Recipient>()

function recipientOf(publicKey: Uint8Array): Recipient {
  return { publicKey: Uint8Array.from(publicKey), keyObject: importX25519Public(publicKey) }
}

/** Of both directions, 32 bytes each: to the client, and from it. */
function sessionKeys(
  shared: Uint8Array,
  ephemeralPublic: Uint8Array,
  recipientPublic: Uint8Array,
): Uint8Array {
  const material = Buffer.concat([shared, ephemeralPublic, recipientPublic])
  const keys = blake2b512(material)
  material.fill(0)
  return keys
}

// A tenth of the time where node:crypto has it; workerd has none, and Bun's getHashes() leaves out what it has.
const blake2b512 = nodeHasBlake2b()
  ? (data: Uint8Array) => hash('blake2b512', data, 'buffer')
  : (data: Uint8Array) => blake2b(data, { dkLen: 64 })

function nodeHasBlake2b(): boolean {
  try {
    return hash('blake2b512', '').length > 0
  } catch {
    return false
  }
}

function parse(wrapped: string): { ephemeralPublic: Uint8Array; encrypted: EncryptedText } {
  const match = /^ph:v1:([0-9a-f]{64}):([^:]*)$/.exec(wrapped)
  if (match?.[1] === undefined || match[2] === undefined) throw new Error('Not a wrapped key.')
  const bytes = decodeCanonicalBase64(match[2])
  const end = bytes.length - nonceBytes
  return {
    ephemeralPublic: Buffer.from(match[1], 'hex'),
    encrypted: { ciphertext: bytes.subarray(0, end), nonce: bytes.subarray(end) },
  }
}
