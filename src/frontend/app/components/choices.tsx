import { type ReactNode, useId } from 'react'
import { Check, Radio } from './cell.tsx'

type ChoiceProps = { label: ReactNode; hint?: ReactNode; checked: boolean }

/** A check box with its label beside it, and a line that says what it means. */
export function CheckField({
  label,
  hint,
  checked,
  onChange,
}: ChoiceProps & { onChange: (checked: boolean) => void }) {
  const id = useId()
  return (
    <div className="opt">
      <Check id={id} checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <label htmlFor={id}>
        {label}
        {hint !== undefined && <small>{hint}</small>}
      </label>
    </div>
  )
}

type RadiosProps<V extends string> = {
  legend: string
  value: V
  options: readonly { value: V; label: ReactNode; meaning?: ReactNode }[]
  onChange: (value: V) => void
}

/** One of a few choices, each with a line that says what it means. */
export function Radios<V extends string>({ legend, value, options, onChange }: RadiosProps<V>) {
  const name = useId()
  return (
    <fieldset>
      <legend className="label">{legend}</legend>
      {options.map((option) => (
        <div className="opt" key={option.value}>
          <Radio
            id={`${name}-${option.value}`}
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <label htmlFor={`${name}-${option.value}`}>
            {option.label}
            {option.meaning !== undefined && <small>{option.meaning}</small>}
          </label>
        </div>
      ))}
    </fieldset>
  )
}
