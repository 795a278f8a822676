import type { ConflictLine } from '../components/conflict-dialog.tsx'
import { changeBetween, type RoleChange, type RoleState, wordsOfKey } from './draft.ts'

/** What stood when the editing began, what somebody else has saved since, and what the reader wants. */
export type RoleConflict = Readonly<{ before: RoleState; now: RoleState; mine: RoleState }>

const FIELDS = { name: 'Name', description: 'Description', color: 'Colour' } as const

/** Both changes of a role, line by line. */
export function conflictLines({ before, now, mine: wanted }: RoleConflict): ConflictLine[] {
  const theirs = changeBetween(before, now)
  const mine = changeBetween(before, wanted)
  const fields = (['name', 'description', 'color'] as const).filter(
    (field) => theirs.fields.includes(field) || mine.fields.includes(field),
  )
  const keys = [...new Set([...theirs.added, ...theirs.removed, ...mine.added, ...mine.removed])]
  const word = (change: RoleChange, key: (typeof keys)[number]) =>
    change.added.includes(key) ? 'allowed' : change.removed.includes(key) ? 'taken away' : null
  return [
    ...fields.map((field) => ({
      what: FIELDS[field] as string,
      theirs: theirs.fields.includes(field) ? now[field] || 'none' : null,
      yours: mine.fields.includes(field) ? wanted[field] || 'none' : null,
    })),
    ...keys.map((key) => ({ what: wordsOfKey(key), theirs: word(theirs, key), yours: word(mine, key) })),
  ]
}
