import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { CheckField } from './choices.tsx'
import { Dialog } from './dialog.tsx'

type ShownOnceProps = {
  title: string
  text: ReactNode
  children: ReactNode
  /** What to do where it gets lost. */
  lost: string
  onDone: () => void
}

/** Shows something that can't be shown again: until the reader says that it is kept, neither it nor the page is left. */
export function ShownOnce({ title, text, children, lost, onDone }: ShownOnceProps) {
  const [isKept, setKept] = useState(false)
  useBlocker({ shouldBlockFn: () => !isKept, enableBeforeUnload: () => !isKept })
  return (
    <Dialog
      open
      onClose={onDone}
      dismissible={isKept}
      title={title}
      text={text}
      acts={
        <>
          <span className="small dim mr-auto">{lost}</span>
          <Button
            kind="primary"
            disabledBecause={isKept ? null : 'Keep a copy in a safe place first, and tick the box.'}
            onClick={onDone}
          >
            Done
          </Button>
        </>
      }
    >
      <div className="stack">
        {children}
        <CheckField label="I have a copy in a safe place" checked={isKept} onChange={setKept} />
      </div>
    </Dialog>
  )
}
