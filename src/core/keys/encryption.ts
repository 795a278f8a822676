import { fastestAead, nonceBytes } from './xchacha20poly1305.ts'

/** A text under XChaCha20-Poly1305: ciphertext ‖ tag, and the fresh nonce. */
export type EncryptedText = { ciphertext: Uint8Array; nonce: Uint8Array }

/**
 * Encrypts the UTF-8 bytes of a text, or bytes as they are, under a 32-byte key and a fresh random nonce. Whoever gives a
 * nonce must give it for one text only.
 */
export function encryptText(
  key: Uint8Array,
  text: string | Uint8Array,
  associatedData: Uint8Array = none,
  nonce: Uint8Array = crypto.getRandomValues(new Uint8Array(nonceBytes)),
): EncryptedText {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text
  return { ciphertext: fastestAead().encrypt(key, nonce, bytes, associatedData), nonce }
}

/** The bytes that `encryptText` encrypted; throws when key, associated data, nonce or ciphertext differs. */
export function decryptBytes(
  key: Uint8Array,
  { ciphertext, nonce }: EncryptedText,
  associatedData: Uint8Array = none,
): Uint8Array {
  return fastestAead().decrypt(key, nonce, ciphertext, associatedData)
}

/** `decryptBytes` as a text; throws for bytes that are no UTF-8, too. */
export function decryptText(key: Uint8Array, encrypted: EncryptedText, associatedData?: Uint8Array): string {
  return decodeText(decryptBytes(key, encrypted, associatedData))
}

/** The text of UTF-8 bytes; throws for others. */
export const decodeText = (bytes: Uint8Array): string => decoder.decode(bytes)

/** `encryptText` as base64 of nonce ‖ ciphertext ‖ tag. */
export function encryptToBase64(key: Uint8Array, text: string, associatedData?: Uint8Array): string {
  const { ciphertext, nonce } = encryptText(key, text, associatedData)
  return Buffer.concat([nonce, ciphertext]).toString('base64')
}

/** The text that `encryptToBase64` encrypted; throws on any other input. */
export function decryptFromBase64(key: Uint8Array, base64: string, associatedData?: Uint8Array): string {
  const bytes = decodeCanonicalBase64(base64)
  const encrypted = { nonce: bytes.subarray(0, nonceBytes), ciphertext: bytes.subarray(nonceBytes) }
  return decryptText(key, encrypted, associatedData)
}

/** The bytes of base64; throws unless it is canonical (RFC 4648 §3.5), so that a value has one encoding. */
export function decodeCanonicalBase64(base64: string): Uint8Array {
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.toString('base64') !== base64) throw new Error('An encrypted text must be canonical base64.')
  return bytes
}

const none: Uint8Array = new Uint8Array()
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
