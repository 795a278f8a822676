import { hkdfSync } from 'node:crypto'
import { decryptFromBase64, encryptToBase64 } from './encryption.ts'

/**
 * Wraps a text so that only the holder of the token (its whole text) can unwrap it:
 * `kt:v1:<base64 of nonce ‖ ciphertext ‖ tag>`. A token is 256 random bits, so HKDF needs no stretching.
 */
export function wrapForToken(token: string, text: string): string {
  return prefix + encryptToBase64(tokenKey(token), text)
}

/** The text that `wrapForToken` wrapped; throws when the value is malformed, changed, or for another token. */
export function unwrapWithToken(token: string, wrapped: string): string {
  try {
    if (!wrapped.startsWith(prefix)) throw new Error('Another format.')
    return decryptFromBase64(tokenKey(token), wrapped.slice(prefix.length))
  } catch {
    throw new Error('This wrapped key is malformed, was changed, or was wrapped for another token.')
  }
}

const prefix = 'kt:v1:'

function tokenKey(token: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', token, new Uint8Array(), 'keyward/token/v1', 32))
}
