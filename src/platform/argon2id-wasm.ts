import { randomBytes } from 'node:crypto'
import Argon2 from '@phi-ag/argon2'
import type { Argon2id } from './argon2id.ts'

const SALT_BYTES = 32
const HASH_BYTES = 32

/** What the reference implementation says of a password that is another one. */
const MISMATCH = /does not match/i

/**
 * The reference implementation of argon2id as WebAssembly, for runtimes without one of their own. It blocks the event
 * loop for as long as one hash takes. Nothing is allocated before the first use.
 */
export function wasmArgon2id(module: WebAssembly.Module): Argon2id {
  let instance: Argon2 | null = null
  const argon2 = (): Argon2 => {
    instance ??= new Argon2(new WebAssembly.Instance(module))
    return instance
  }
  return {
    hash: async (password, cost) =>
      argon2().hash(password, {
        ...cost,
        parallelism: 1,
        hashLength: HASH_BYTES,
        salt: new Uint8Array(randomBytes(SALT_BYTES)),
      }).encoded,
    verify: async (hash, password) => {
      const verified = argon2().tryVerify(hash, password)
      if (verified.success) return true
      if (MISMATCH.test(verified.error)) return false
      throw new Error('The stored hash of a password is not a PHC string of argon2id.')
    },
  }
}
