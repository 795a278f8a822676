import { hash } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'

/**
 * The 32-byte key for texts from an ephemeral pair to a recipient: a client's sending key in libsodium's crypto_kx, the
 * second half of BLAKE2b-512(shared secret ‖ client public key ‖ server public key), the client being the ephemeral pair.
 */
export function senderKey(
  shared: Uint8Array,
  ephemeralPublic: Uint8Array,
  recipientPublic: Uint8Array,
): Uint8Array {
  const material = Buffer.concat([shared, ephemeralPublic, recipientPublic])
  const keys = blake2b512(material)
  material.fill(0)
  const key = keys.slice(32)
  keys.fill(0)
  return key
}

// A tenth of the time where node:crypto has it; workerd has none, and Bun's getHashes() leaves out what it has.
const blake2b512 = nodeHasBlake2b()
  ? (data: Uint8Array): Uint8Array => new Uint8Array(hash('blake2b512', data, 'buffer'))
  : (data: Uint8Array): Uint8Array => blake2b(data, { dkLen: 64 })

function nodeHasBlake2b(): boolean {
  try {
    return hash('blake2b512', '').length > 0
  } catch {
    return false
  }
}
