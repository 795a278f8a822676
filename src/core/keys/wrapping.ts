import { hash, type KeyObject } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import {
  decodeCanonicalBase64,
  decryptText,
  type EncryptedText,
  encryptText,
  nonceBytes,
} from './encryption.ts'
import { identityKeyToX25519Public } from './identity-keys.ts'
import { generateX25519Pair, importX25519Public, importX25519Secret, x25519SharedSecret } from './x25519.ts'

/** For whom a text is wrapped, with the X25519 key imported once for any number of wraps. */
export type Recipient = { readonly publicKey: Uint8Array; readonly keyObject: KeyObject }

/**
 * The recipient with this identity key: 64 lower-case hex digits of an Ed25519 public key.
 * Throws when it is not one.
 */
export function prepareRecipient(identityPublicKeyHex: string): Recipient {
  return recipientOf(identityKeyToX25519Public(identityPublicKeyHex))
}

/**
 * Wraps a text for a recipient, as `ph:v1:<ephemeral public key, hex>:<base64 of ciphertext ‖ tag ‖ nonce>`,
 * under a key pair made for this wrap alone. Throws for a low-order public key.
 *
 * The key is a client's sending key in libsodium's crypto_kx: the second half of
 * BLAKE2b-512(shared secret ‖ client public key ‖ server public key), the client being the ephemeral pair.
 */
export function wrapForRecipient(plaintextText: string, recipient: Recipient): string {
  const ephemeral = generateX25519Pair()
  const shared = x25519SharedSecret(ephemeral.secretKey, recipient.keyObject)
  const key = sessionKey(shared, ephemeral.publicKey, recipient.publicKey)
  const { ciphertext, nonce } = encryptText(key, plaintextText)
  const encrypted = Buffer.concat([ciphertext, nonce]).toString('base64')
  return `ph:v1:${Buffer.from(ephemeral.publicKey).toString('hex')}:${encrypted}`
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
    return decryptText(sessionKey(shared, ephemeralPublic, x25519Public), encrypted)
  } catch {
    throw new Error('This wrapped key is malformed, was changed, or was wrapped for another recipient.')
  }
}

function recipientOf(publicKey: Uint8Array): Recipient {
  return { publicKey: Uint8Array.from(publicKey), keyObject: importX25519Public(publicKey) }
}

function sessionKey(shared: Uint8Array, ephemeralPublic: Uint8Array, recipientPublic: Uint8Array) {
  return new Uint8Array(blake2b512(Buffer.concat([shared, ephemeralPublic, recipientPublic]))).subarray(32)
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
