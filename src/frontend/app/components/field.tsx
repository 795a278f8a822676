import { type ComponentProps, createContext, type ReactNode, useContext, useId } from 'react'
import { Icon } from './icon.tsx'

type FieldIds = { id: string; describedBy: string | undefined; isInvalid: boolean }

const FieldContext = createContext<FieldIds | null>(null)

type FieldProps = {
  label: ReactNode
  hint?: ReactNode
  /** The sentence that says what is wrong with the value; null when nothing is. */
  error?: string | null | undefined
  /** Stands at the end of the label's line; the Tab key reaches it after the control. */
  aside?: ReactNode
  children: ReactNode
}

/** A label above one control, with a hint or an error below; both are read out with the control. */
export function Field({ label, hint, error = null, aside, children }: FieldProps) {
  const id = useId()
  const describedBy = error !== null ? `${id}-error` : hint !== undefined ? `${id}-hint` : undefined
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <FieldContext value={{ id, describedBy, isInvalid: error !== null }}>{children}</FieldContext>
      {aside !== undefined && <span className="field-aside small">{aside}</span>}
      {error !== null ? (
        <ErrorText id={`${id}-error`}>{error}</ErrorText>
      ) : (
        hint !== undefined && (
          <p className="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )
      )}
    </div>
  )
}

/** The sentence of an error, beside what caused it. */
export function ErrorText({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p className="error" role="alert" id={id}>
      <Icon name="warn" />
      <span>{children}</span>
    </p>
  )
}

/** What a control inside a `Field` takes from it. */
export function useField(): { id?: string; 'aria-describedby'?: string | undefined; 'aria-invalid'?: true } {
  const field = useContext(FieldContext)
  if (field === null) return {}
  return {
    id: field.id,
    'aria-describedby': field.describedBy,
    ...(field.isInvalid ? { 'aria-invalid': true as const } : {}),
  }
}

/** A line of text. `size` is `lg` on the pages without the side bar. */
export function Input({ className = '', big = false, ...rest }: ComponentProps<'input'> & { big?: boolean }) {
  return <input {...useField()} className={`input ${big ? 'lg' : ''} ${className}`} {...rest} />
}

/** Text of several lines. */
export function TextArea({ className = '', ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...useField()} className={`input ${className}`} {...rest} />
}

/** The search of a list: it says what it searches. */
export function SearchInput({ label, ...rest }: ComponentProps<'input'> & { label: string }) {
  return (
    <div className="search">
      <Icon name="search" />
      <input className="input" type="search" aria-label={label} placeholder={label} data-search {...rest} />
    </div>
  )
}
