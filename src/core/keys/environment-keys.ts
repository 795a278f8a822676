import { randomBytes } from 'node:crypto'
import { blake2b } from '@noble/hashes/blake2.js'
import { x25519PublicOf } from './x25519.ts'

/** An environment's seed and salt (the secrets that are wrapped) and public key: 32 bytes each, lower-case hex. */
export type EnvironmentKeys = { seed: string; salt: string; publicKey: string }

/** A fresh random seed and salt, and the public key that belongs to the seed. */
export function generateEnvironmentKeys(): EnvironmentKeys {
  const seed = randomBytes(32).toString('hex')
  const { publicKey } = environmentKeyPair(seed)
  return { seed, salt: randomBytes(32).toString('hex'), publicKey: Buffer.from(publicKey).toString('hex') }
}

/**
 * The X25519 key pair (32 bytes each) of an environment's seed, given as 64 lower-case hex digits:
 * libsodium's crypto_kx_seed_keypair, secret = BLAKE2b-256(seed). Throws when it is not such a seed.
 */
export function environmentKeyPair(seedHex: string): { publicKey: Uint8Array; secretKey: Uint8Array } {
  if (!/^[0-9a-f]{64}$/.test(seedHex)) {
    throw new Error("An environment's seed must be 64 lower-case hex digits.")
  }
  const secretKey = blake2b(Uint8Array.from(Buffer.from(seedHex, 'hex')), { dkLen: 32 })
  return { publicKey: x25519PublicOf(secretKey), secretKey }
}
