import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { x25519 } from '@noble/curves/ed25519.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js'

/**
 * Seals texts for the holder of an X25519 key, each as `ph:v1:<ephemeral public key>:<base64 of ciphertext ‖ tag ‖
 * nonce>`, as the server does. Throws for a public key that gives no secret.
 */
export function sealFor(publicKeyHex: string, texts: readonly string[]): string[] {
  const recipient = hexToBytes(publicKeyHex)
  const ephemeral = x25519.keygen()
  const shared = x25519.getSharedSecret(ephemeral.secretKey, recipient)
  const keys = blake2b(concatBytes(shared, ephemeral.publicKey, recipient), { dkLen: 64 })
  // The second half is that of the sender.
  const key = keys.slice(32)
  const sealed = texts.map((text) => {
    const nonce = crypto.getRandomValues(new Uint8Array(24))
    const ciphertext = xchacha20poly1305(key, nonce).encrypt(new TextEncoder().encode(text))
    const base64 = btoa(String.fromCharCode(...ciphertext, ...nonce))
    return `ph:v1:${bytesToHex(ephemeral.publicKey)}:${base64}`
  })
  for (const secret of [ephemeral.secretKey, shared, keys, key]) secret.fill(0)
  return sealed
}
