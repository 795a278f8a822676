import { blake2b } from '@noble/hashes/blake2.js'

/**
 * Makes the digests by which secrets are found without their names being known: BLAKE2b-256 of the name's UTF-8, or of
 * bytes as they are, keyed with the 64 ASCII characters of the salt's hex text; 64 lower-case hex digits. Throws when the salt is not 64
 * lower-case hex digits.
 */
export function keyDigester(saltHex: string): (name: string | Uint8Array) => string {
  if (!/^[0-9a-f]{64}$/.test(saltHex)) {
    throw new Error("An environment's salt must be 64 lower-case hex digits.")
  }
  const keyed = blake2b.create({ key: encoder.encode(saltHex), dkLen: 32 })
  return (name) => {
    const bytes = typeof name === 'string' ? encoder.encode(name) : name
    return Buffer.from(keyed.clone().update(bytes).digest()).toString('hex')
  }
}

const encoder = new TextEncoder()
