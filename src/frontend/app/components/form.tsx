import type { ReactNode } from 'react'
import { messageOf } from '../api/errors.ts'
import { useAct } from './act.ts'
import { Button } from './button.tsx'
import { ErrorText } from './field.tsx'
import type { Fields } from './fields.ts'

type FormProps = {
  /** Names the form, where its page has others. */
  label?: string
  className?: string
  /** What is typed into it, where that is checked before it is sent. */
  fields?: Pick<Fields<string>, 'ref' | 'check' | 'blame'>
  children?: ReactNode
  /** Names what it does: "Create token". */
  act: ReactNode
  kind?: 'primary' | 'plain'
  /** On the pages without the side bar. */
  big?: boolean
  disabledBecause?: string | null
  onSubmit: () => Promise<unknown>
  /** Deals with an error by itself, and tells whether it did; other errors stand above the buttons. */
  onProblem?: (error: unknown) => boolean
  onCancel?: () => void
  /** Stands beside the button, where it isn't `onCancel`'s. */
  aside?: ReactNode
}

/** A form with its fields, the sentence with which it was refused, and its buttons. Nothing is cleared by an error. */
export function Form({
  label,
  className = 'form',
  fields,
  children,
  act,
  kind = 'primary',
  big = false,
  disabledBecause = null,
  onSubmit,
  onProblem,
  onCancel,
  aside,
}: FormProps) {
  const { busy, problem, run } = useAct()
  const submit = () => {
    if (disabledBecause !== null || fields?.check() === false) return
    void run(onSubmit, (error) => onProblem?.(error) || fields?.blame(messageOf(error)) || false)
  }
  const button = (
    <Button kind={kind} size={big ? 'lg' : 'md'} type="submit" busy={busy} disabledBecause={disabledBecause}>
      {act}
    </Button>
  )
  return (
    <form
      className={className}
      ref={fields?.ref}
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {children}
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      {big ? (
        button
      ) : (
        <div className="row">
          {button}
          {onCancel !== undefined && (
            <Button kind="quiet" onClick={onCancel}>
              Cancel
            </Button>
          )}
          {aside}
        </div>
      )}
    </form>
  )
}
