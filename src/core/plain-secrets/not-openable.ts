import { conflict } from '../errors.ts'

/** 409: a secret of this id is not one for the keys of its environment. */
export const notOpenable = (id: string) =>
  conflict(
    `The secret ${id} was not sealed for the keys of its environment, so it can't be opened. Replace or delete it.`,
  )
