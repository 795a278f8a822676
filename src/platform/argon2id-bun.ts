import type { Argon2id } from './argon2id.ts'

/** Bun's own argon2id, on threads beside the one that serves requests. */
export const bunArgon2id: Argon2id = {
  hash: (password, cost) => Bun.password.hash(password, { algorithm: 'argon2id', ...cost }),
  verify: (hash, password) => Bun.password.verify(password, hash),
}
