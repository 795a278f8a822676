import { availableParallelism } from 'node:os'
import type { Argon2Cost, Argon2id } from './argon2id.ts'
import { createPasswordTurns, PASSWORD_QUEUE, type PasswordTurn } from './password-turns.ts'

/** Hashes and verifies passwords, each in its turn. Both throw `PasswordsBusy` when too many wait, `hash` earlier. */
export type Passwords = {
  /** A PHC string (`$argon2id$…`) with a salt of its own. */
  hash(password: string, turn: PasswordTurn): Promise<string>
  /** With null (no such account) it takes the time that a wrong password takes, and is false. */
  verify(hash: string | null, password: string, turn: PasswordTurn): Promise<boolean>
}

export type PasswordsOptions = {
  argon2id: Argon2id
  /** How many run at once; by default one less than there are cores, which is left to those who wait for no password. */
  concurrency?: number
  /** How many strangers wait beyond those that run, and how many with accounts that are no members. */
  queue?: number
  /** KiB. */
  memoryCost?: number
  /** Passes over the memory. */
  timeCost?: number
}

/**
 * argon2id with OWASP's parameters (19 MiB, two passes, one lane). Bounded, because fifty
 * at once hold up every other request for a second. Passwords are compared in Unicode NFC.
 */
export function createPasswords({ argon2id, ...options }: PasswordsOptions): Passwords {
  const cost = { memoryCost: options.memoryCost ?? 19_456, timeCost: options.timeCost ?? 2 }
  const unknown = hashOfNothing(cost)
  const inTurn = createPasswordTurns({
    concurrency: options.concurrency ?? Math.max(1, availableParallelism() - 1),
    queue: options.queue ?? PASSWORD_QUEUE,
  })
  return {
    hash: (password, turn) => inTurn(turn, 'hash', () => argon2id.hash(password.normalize('NFC'), cost)),
    verify: (hash, password, turn) =>
      inTurn(turn, 'verify', () => argon2id.verify(hash ?? unknown, password.normalize('NFC'))),
  }
}

/** Well-formed, so that verifying costs what it always costs; no password is known that would match. */
function hashOfNothing(cost: Argon2Cost): string {
  const salt = 'A'.repeat(43)
  const digest = `${'B'.repeat(42)}A`
  return `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1$${salt}$${digest}`
}
