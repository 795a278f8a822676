import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorText } from './field.tsx'
import { Head } from './table.tsx'

/** What somebody else has made of something, and what the reader wants of it; null for as it was. */
export type ConflictLine = Readonly<{ what: string; theirs: ReactNode; yours: ReactNode }>

type ConflictDialogProps = {
  open: boolean
  title: string
  text?: ReactNode
  /** What each line is about: "Environment". */
  head?: string
  lines: readonly ConflictLine[]
  /** What follows from them. */
  children?: ReactNode
  /** Whether there is something left to apply. */
  isLeft?: boolean
  busy?: boolean
  /** The API's sentence where it refused the reader's change. */
  problem?: string | null
  onKeepTheirs: () => void
  /** Closes the dialog: nothing is applied, and nothing of the reader's is dropped. Absent where nothing is being edited. */
  onKeepEditing?: () => void
  onApplyMine: () => void
}

/** Somebody else's change beside the reader's own, which is not applied before the reader has seen both. */
export function ConflictDialog({
  open,
  title,
  text = 'Somebody else has saved it meanwhile. Yours is not applied yet.',
  head = 'What',
  lines,
  children,
  isLeft = true,
  busy = false,
  problem = null,
  onKeepTheirs,
  onKeepEditing,
  onApplyMine,
}: ConflictDialogProps) {
  return (
    <Dialog
      open={open}
      onClose={onKeepEditing ?? onKeepTheirs}
      title={title}
      text={text}
      acts={
        isLeft ? (
          <>
            <Button kind="quiet" className="mr-auto" onClick={onKeepTheirs}>
              Keep theirs
            </Button>
            {onKeepEditing !== undefined && <Button onClick={onKeepEditing}>Keep editing</Button>}
            <Button kind="primary" busy={busy} onClick={onApplyMine}>
              Apply mine
            </Button>
          </>
        ) : (
          <Button kind="primary" onClick={onKeepTheirs}>
            Go on
          </Button>
        )
      }
    >
      <div className="stack">
        {lines.length > 0 && (
          <div className="conflict-lines">
            <table className="list">
              <caption className="vh">Their change and yours</caption>
              <thead>
                <tr>
                  <th scope="col">{head}</th>
                  <Head>Theirs</Head>
                  <Head>Yours</Head>
                </tr>
              </thead>
              <tbody>
                {lines.map(({ what, theirs, yours }) => (
                  <tr key={what}>
                    <th scope="row">{what}</th>
                    <td className="wrap-anywhere">{theirs ?? <AsItWas />}</td>
                    <td className="wrap-anywhere">{yours ?? <AsItWas />}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        {children}
        {problem !== null && <ErrorText>{problem}</ErrorText>}
      </div>
    </Dialog>
  )
}

const AsItWas = () => <span className="faint">as it was</span>
