import { badRequest } from '../errors.ts'

/** A key and its value in clear; `line` is where a file has it. */
export type KeyValue = Readonly<{ key: string; value: string; line?: number }>

/** How many entries a file may have: as many as one request may write. */
export const MOST_ENTRIES = 2000

/** 400: the file has more entries than one request may write. */
export const tooManyEntries = () =>
  badRequest(`The file must have at most ${MOST_ENTRIES.toLocaleString('en')} entries.`)
