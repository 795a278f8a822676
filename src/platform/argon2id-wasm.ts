import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Argon2id } from './argon2id.ts'

/** What the reference implementation exports, by the names of its header `argon2.h`. Pointers and lengths are bytes. */
type Exports = {
  memory: WebAssembly.Memory
  _initialize(): void
  malloc(length: number): number
  free(pointer: number): void
  argon2_encodedlen(
    time: number,
    memory: number,
    lanes: number,
    saltLength: number,
    hashLength: number,
    type: number,
  ): number
  argon2_hash(...parameters: number[]): number
  argon2_verify(encoded: number, password: number, passwordLength: number, type: number): number
}

const ARGON2ID = 2
const VERSION = 0x13
const LANES = 1
const SALT_BYTES = 32
const HASH_BYTES = 32
const OK = 0
const MISMATCH = -35

/**
 * The reference implementation of argon2id as WebAssembly, of the package `@phi-ag/argon2`, for runtimes without one of
 * their own. Its program alone is used: its JavaScript tells the program how many characters a password has, where bytes
 * are asked for. Blocks the event loop for as long as one hash takes, and has others use it for as long before the next one. Nothing is allocated before the first use, and no
 * password stays in its memory.
 */
export function wasmArgon2id(module: WebAssembly.Module): Argon2id {
  let made: Exports | null = null
  const argon2 = (): Exports => {
    if (made !== null) return made
    const { exports } = new WebAssembly.Instance(module)
    made = exports as Exports
    made._initialize()
    return made
  }
  return {
    hash: async (password, { memoryCost, timeCost }) => {
      const program = argon2()
      const salt = randomBytes(SALT_BYTES)
      const length = program.argon2_encodedlen(timeCost, memoryCost, LANES, SALT_BYTES, HASH_BYTES, ARGON2ID)
      const buffers = [utf8(password), salt, HASH_BYTES, length] as const
      return await thenPause(() =>
        withBuffers(program, buffers, ([pwd, slt, hash, encoded]) => {
          const costs = [timeCost, memoryCost, LANES]
          const inputs = [pwd.at, pwd.length, slt.at, slt.length]
          const outputs = [hash.at, hash.length, encoded.at, encoded.length]
          const code = program.argon2_hash(...costs, ...inputs, ...outputs, ARGON2ID, VERSION)
          if (code !== OK) throw new Error(`A password could not be hashed: argon2 says ${code}.`)
          // Without the NUL at its end.
          return Buffer.from(program.memory.buffer, encoded.at, encoded.length - 1).toString('latin1')
        }),
      )
    },
    verify: async (hash, password) => {
      const program = argon2()
      const buffers = [utf8(password), utf8(`${hash}\0`)] as const
      return await thenPause(() =>
        withBuffers(program, buffers, ([pwd, encoded]) => {
          const code = program.argon2_verify(encoded.at, pwd.at, pwd.length, ARGON2ID)
          if (code === OK || code === MISMATCH) return code === OK
          throw new Error(`The stored hash of a password cannot be read: argon2 says ${code}.`)
        }),
      )
    },
  }
}

/** Does work, and gives its outcome after others have had the event loop for as long as it took. */
async function thenPause<T>(work: () => T): Promise<T> {
  const start = performance.now()
  try {
    return work()
  } finally {
    await sleep(performance.now() - start)
  }
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

type Place = Readonly<{ at: number; length: number }>
type Places<B extends readonly unknown[]> = { [I in keyof B]: Place }

/** Calls with places in the program's memory for these bytes, or for so many; clears and frees them afterwards. */
function withBuffers<const B extends readonly (Uint8Array | number)[], T>(
  program: Exports,
  buffers: B,
  work: (places: Places<B>) => T,
): T {
  const places: Place[] = []
  try {
    for (const buffer of buffers) {
      const length = typeof buffer === 'number' ? buffer : buffer.length
      const at = program.malloc(Math.max(1, length))
      if (at === 0) throw new Error('There is no memory left to hash a password.')
      places.push({ at, length })
      if (typeof buffer !== 'number') new Uint8Array(program.memory.buffer).set(buffer, at)
    }
    return work(places as Places<B>)
  } finally {
    // Its memory may have grown, which makes another buffer of it.
    const memory = new Uint8Array(program.memory.buffer)
    for (const { at, length } of places) {
      memory.fill(0, at, at + length)
      program.free(at)
    }
  }
}
