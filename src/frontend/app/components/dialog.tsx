import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { ErrorText } from './field.tsx'

type DialogProps = {
  open: boolean
  onClose: () => void
  /** The fact, or the question. */
  title: string
  text?: ReactNode
  children?: ReactNode
  /** The acts, the last of which the dialog is for. */
  acts?: ReactNode
  /** False while something is shown once and not yet kept: neither Esc nor the scrim close it. */
  dismissible?: boolean
  wide?: boolean
}

/** Confirms, shows something once, or resolves a conflict. Focus returns to where it came from. */
export function Dialog({
  open,
  onClose,
  title,
  text,
  children,
  acts,
  dismissible = true,
  wide = false,
}: DialogProps) {
  return (
    <Base.Root
      open={open}
      onOpenChange={(isOpen) => !isOpen && dismissible && onClose()}
      disablePointerDismissal={!dismissible}
    >
      <Base.Portal>
        <Base.Backdrop className="scrim" />
        <Base.Viewport className="overlay">
          <Base.Popup className={wide ? 'dialog wide-dialog' : 'dialog'}>
            <div className="dh">
              <Base.Title>{title}</Base.Title>
              {text !== undefined && (
                <Base.Description render={<div className="dialog-text" />}>{text}</Base.Description>
              )}
            </div>
            <div className="body">{children}</div>
            {acts !== undefined && <div className="df">{acts}</div>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

type ConfirmProps = {
  open: boolean
  onClose: () => void
  title: string
  /** What will stop working, or be different. */
  text: ReactNode
  /** Names the act: "Remove Ana", never "OK". */
  act: string
  /** The way out, where "Cancel" could mean the act. */
  keep?: string
  danger?: boolean
  onConfirm: () => Promise<unknown>
  children?: ReactNode
  disabledBecause?: string | null
}

/** Asks before something that can't be undone, and shows the API's sentence where it is refused. */
export function ConfirmDialog({
  open,
  onClose,
  title,
  text,
  act,
  keep = 'Cancel',
  danger = true,
  onConfirm,
  children,
  disabledBecause = null,
}: ConfirmProps) {
  const { busy, problem, setProblem, run } = useAct()
  const close = () => {
    setProblem(null)
    onClose()
  }
  const confirm = async () => {
    if (await run(onConfirm)) close()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={title}
      text={text}
      acts={
        <>
          <Button kind="quiet" onClick={close}>
            {keep}
          </Button>
          <Button
            kind={danger ? 'danger' : 'primary'}
            busy={busy}
            disabledBecause={disabledBecause}
            onClick={confirm}
          >
            {act}
          </Button>
        </>
      }
    >
      {children}
      {problem !== null && <ErrorText>{problem}</ErrorText>}
    </Dialog>
  )
}
