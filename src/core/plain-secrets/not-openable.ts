import { conflict } from '../errors.ts'

/** 409: a secret, or the caller's override of it, is not sealed for the keys of its environment. */
export const notOpenable = (id: string, what: 'The secret' | 'Your override of the secret' = 'The secret') =>
  conflict(
    `${what} ${id} was not sealed for the keys of its environment, so it can't be opened. Replace or delete it.`,
  )
