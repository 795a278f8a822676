import { availableParallelism } from 'node:os'
import { createLimiter, TooBusyError } from './limiter.ts'

/** Hashes and verifies passwords. Both throw `PasswordsBusy` when their queue is full, `hash` earlier. */
export type Passwords = {
  /** A PHC string (`$argon2id$…`) with a salt of its own. */
  hash(password: string): Promise<string>
  /** With null (no such account) it takes the time that a wrong password takes, and is false. */
  verify(hash: string | null, password: string): Promise<boolean>
}

/** Thrown, so that it can't be mistaken for a correct password. */
export class PasswordsBusy extends TooBusyError {
  override readonly name = 'PasswordsBusy'
  constructor() {
    super('The server is busy. Try again in a second.')
  }
}

export type PasswordsOptions = {
  /** How many run at once; by default one per core. */
  concurrency?: number
  /** How many wait beyond those that run. */
  queue?: number
  /** KiB. */
  memoryCost?: number
  /** Passes over the memory. */
  timeCost?: number
}

/**
 * argon2id through Bun, with OWASP's parameters (19 MiB, two passes, one lane). Bounded, because fifty
 * at once hold up every other request for a second. Passwords are compared in Unicode NFC.
 */
export function createPasswords(options: PasswordsOptions = {}): Passwords {
  const cost = { memoryCost: options.memoryCost ?? 19_456, timeCost: options.timeCost ?? 2 }
  const unknown = hashOfNothing(cost)
  const concurrency = options.concurrency ?? availableParallelism()
  const queue = options.queue ?? 20
  const busyError = () => new PasswordsBusy()
  const run = createLimiter({ concurrency, queue, busyError })
  // Hashing uses at most half of the queue, so that many registrations don't keep others from signing in.
  const limitHashing = createLimiter({ concurrency: concurrency + Math.ceil(queue / 2), queue: 0, busyError })
  return {
    hash: (password) =>
      limitHashing(() =>
        run(() => Bun.password.hash(password.normalize('NFC'), { algorithm: 'argon2id', ...cost })),
      ),
    verify: (hash, password) => run(() => Bun.password.verify(password.normalize('NFC'), hash ?? unknown)),
  }
}

/** Well-formed, so that verifying costs what it always costs; no password is known that would match. */
function hashOfNothing(cost: { memoryCost: number; timeCost: number }): string {
  const salt = 'A'.repeat(43)
  const digest = `${'B'.repeat(42)}A`
  return `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$${salt}$${digest}`
}
