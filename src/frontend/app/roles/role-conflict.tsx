import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { changeBetween, isChange, type RoleChange, type RoleState, wordsOfKey } from './draft.ts'

/** What stood when the editing began, what somebody else has saved since, and what the reader wants. */
export type RoleConflict = Readonly<{ before: RoleState; now: RoleState; mine: RoleState }>

type RoleConflictProps = {
  conflict: RoleConflict | null
  onDrop: () => void
  onKeepEditing: () => void
  onApply: () => void
}

/** Somebody else's change of a role beside the reader's own. It overwrites nothing that it doesn't name. */
export function RoleConflictDialog({ conflict, onDrop, onKeepEditing, onApply }: RoleConflictProps) {
  const theirs = conflict === null ? null : changeBetween(conflict.before, conflict.now)
  const mine = conflict === null ? null : changeBetween(conflict.before, conflict.mine)
  return (
    <Dialog
      open={conflict !== null}
      onClose={onKeepEditing}
      title="This role was changed while you were editing"
      text="Somebody else has saved it meanwhile. Yours is not applied yet; applied on top, it keeps what they changed elsewhere."
      acts={
        <>
          <Button kind="quiet" className="mr-auto" onClick={onDrop}>
            Drop mine
          </Button>
          <Button onClick={onKeepEditing}>Keep editing</Button>
          <Button kind="primary" onClick={onApply}>
            Apply mine on top
          </Button>
        </>
      }
    >
      {conflict !== null && theirs !== null && mine !== null && (
        <table className="list">
          <caption className="vh">Their change and yours</caption>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Theirs</th>
              <th scope="col">Yours</th>
            </tr>
          </thead>
          <tbody>
            {linesOf(conflict, theirs, mine).map(({ what, theirs, yours }) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td>{theirs ?? <span className="faint">as it was</span>}</td>
                <td>{yours ?? <span className="faint">as it was</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {theirs !== null && !isChange(theirs) && (
        <p className="dim mt-3">What they changed is as it was by now.</p>
      )}
    </Dialog>
  )
}

const FIELDS = { name: 'Name', description: 'Description', color: 'Colour' } as const

function linesOf({ now, mine: wanted }: RoleConflict, theirs: RoleChange, mine: RoleChange) {
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
