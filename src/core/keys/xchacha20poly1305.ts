import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import type { Sodium } from 'libsodium'

/** Bytes of an XChaCha20-Poly1305 nonce: long enough for random nonces. */
export const nonceBytes = 24

/**
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha), the key 32 bytes, the nonce 24, the tag after the ciphertext. `decrypt`
 * throws when anything differs.
 */
export type Aead = Readonly<{
  encrypt(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array, associatedData: Uint8Array): Uint8Array
  decrypt(key: Uint8Array, nonce: Uint8Array, ciphertext: Uint8Array, associatedData: Uint8Array): Uint8Array
}>

/** In JavaScript: on every runtime, and at once. */
export const inJavaScript: Aead = {
  encrypt: (key, nonce, plaintext, associatedData) =>
    xchacha20poly1305(key, nonce, associatedData).encrypt(plaintext),
  decrypt: (key, nonce, ciphertext, associatedData) =>
    xchacha20poly1305(key, nonce, associatedData).decrypt(ciphertext),
}

/** In WebAssembly: no copy of what it was given stays in libsodium's memory. */
export const inLibsodium = (sodium: Sodium): Aead => ({
  encrypt: encryptWith(sodium),
  decrypt: decryptWith(sodium),
})

/** The fastest one that is there by now. */
export const fastestAead = (): Aead => fastest

/**
 * Loads libsodium, which takes a tenth of JavaScript's time for a text, and less than `node:crypto` where that has the
 * cipher (Deno; Bun's has not). Where many texts are to come: it costs 12 ms and 10 MB, once. A runtime that compiles no
 * WebAssembly stays with JavaScript.
 */
export function loadFastestAead(): Promise<void> {
  loading ??= loadLibsodium().then(
    (sodium) => {
      fastest = inLibsodium(sodium)
    },
    () => {},
  )
  return loading
}

/** libsodium, ready for use. Rejects where WebAssembly can't be compiled. */
export async function loadLibsodium(): Promise<Sodium> {
  const { default: createSodium } = await import('libsodium')
  const sodium = await createSodium()
  if (sodium._sodium_init() < 0) throw new Error('libsodium cannot be initialised.')
  return sodium
}

let fastest = inJavaScript
let loading: Promise<void> | undefined

const keyBytes = 32
const tagBytes = 16

const encryptWith =
  (sodium: Sodium): Aead['encrypt'] =>
  (key, nonce, plaintext, associatedData) =>
    inMemory(sodium, [key, nonce, plaintext, associatedData], plaintext.length + tagBytes, (result, at) =>
      sodium._crypto_aead_xchacha20poly1305_ietf_encrypt(
        result,
        0,
        at.text,
        plaintext.length,
        0,
        at.associatedData,
        associatedData.length,
        0,
        0,
        at.nonce,
        at.key,
      ),
    )

const decryptWith =
  (sodium: Sodium): Aead['decrypt'] =>
  (key, nonce, ciphertext, associatedData) => {
    if (ciphertext.length < tagBytes) throw new Error('A ciphertext must have a tag.')
    return inMemory(
      sodium,
      [key, nonce, ciphertext, associatedData],
      ciphertext.length - tagBytes,
      (result, at) =>
        sodium._crypto_aead_xchacha20poly1305_ietf_decrypt(
          result,
          0,
          0,
          at.text,
          ciphertext.length,
          0,
          at.associatedData,
          associatedData.length,
          0,
          at.nonce,
          at.key,
        ),
    )
  }

type Addresses = { key: number; nonce: number; text: number; associatedData: number }

/** Calls with copies of the inputs in libsodium's memory, and gives the result; nothing stays in that memory. */
function inMemory(
  sodium: Sodium,
  [key, nonce, text, associatedData]: readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array],
  resultBytes: number,
  call: (result: number, at: Addresses) => number,
): Uint8Array {
  if (key.length !== keyBytes) throw new Error('A key must be 32 bytes long.')
  if (nonce.length !== nonceBytes) throw new Error('A nonce must be 24 bytes long.')
  const size = keyBytes + nonceBytes + text.length + associatedData.length + resultBytes
  const start = sodium._malloc(size)
  if (start === 0) throw new Error('libsodium has no memory left.')
  const at = { key: start, nonce: start + keyBytes, text: start + keyBytes + nonceBytes, associatedData: 0 }
  at.associatedData = at.text + text.length
  const result = at.associatedData + associatedData.length
  try {
    const memory = sodium.HEAPU8
    memory.set(key, at.key)
    memory.set(nonce, at.nonce)
    memory.set(text, at.text)
    memory.set(associatedData, at.associatedData)
    if (call(result, at) !== 0) throw new Error('The ciphertext was changed.')
    return memory.slice(result, result + resultBytes)
  } finally {
    sodium.HEAPU8.fill(0, start, start + size)
    sodium._free(start)
  }
}
