import { badRequest } from '../errors.ts'

/** A key and its value in clear; `line` is where a file has it. */
export type KeyValue = Readonly<{ key: string; value: string; line?: number }>

/** How many entries a file may have: as many as one request may write. */
export const MOST_ENTRIES = 2000

/** How many faults of a file are told at once. */
export const MOST_FAULTS = 20

/** 400 with all faults of a file, up to `MOST_FAULTS`, where it has one. */
export function requireFaultless(faults: readonly string[]): void {
  if (faults.length === 0) return
  const rest = faults.length > MOST_FAULTS ? ['There are more faults behind these.'] : []
  throw badRequest([...faults.slice(0, MOST_FAULTS), ...rest].join(' '))
}

/** 400: the file has more entries than one request may write. */
export const tooManyEntries = () =>
  badRequest(`The file must have at most ${MOST_ENTRIES.toLocaleString('en')} entries.`)
