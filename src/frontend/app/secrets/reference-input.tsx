import { TextArea } from '../components/field.tsx'
import type { NamedEnvironment } from './secret-rows.ts'

type ReferenceInputProps = {
  label?: string
  value: string
  onChange: (value: string) => void
  environment: NamedEnvironment
  placeholder?: string
  autoFocus?: boolean
}

/** Text of a value. */
export function ReferenceInput({ label, value, onChange, placeholder = '', autoFocus = false }: ReferenceInputProps) {
  return (
    <TextArea
      className="mono"
      aria-label={label}
      rows={Math.min(12, Math.max(2, value.split('\n').length))}
      value={value}
      placeholder={placeholder}
      spellCheck={false}
      autoComplete="off"
      // biome-ignore lint/a11y/noAutofocus: the editor opens where the reader asked for it
      autoFocus={autoFocus}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}
