import { conflict } from '../errors.ts'

/** What may be sealed for other keys, in words. */
export type Openable = 'The secret' | 'Your override of the secret'

/** 409: a secret, or the caller's override of it, is not sealed for the keys of its environment. */
export const notOpenable = (id: string, what: Openable = 'The secret') =>
  conflict(
    `${what} ${id} was not sealed for the keys of its environment, so it can't be opened. Replace or delete it.`,
  )
