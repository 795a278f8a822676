import { Field, Input, TextArea } from '../components/field.tsx'
import type { RoleState } from './draft.ts'

const COLOURS = [
  { value: '', label: 'No colour' },
  { value: '#B45309', label: 'Amber' },
  { value: '#B8322A', label: 'Red' },
  { value: '#A21CAF', label: 'Magenta' },
  { value: '#5B45C2', label: 'Violet' },
  { value: '#1F6FEB', label: 'Blue' },
  { value: '#0F766E', label: 'Teal' },
  { value: '#1F7A45', label: 'Green' },
] as const

type RoleFieldsProps = {
  state: RoleState
  onChange: (state: RoleState) => void
  /** The sentence that says what is wrong with the name. */
  nameError?: string | null
  autoFocus?: boolean
}

/** The name, description and colour of a role. */
export function RoleFields({ state, onChange, nameError = null, autoFocus = false }: RoleFieldsProps) {
  return (
    <div className="form">
      <Field label="Name" error={nameError}>
        <Input
          required
          autoFocus={autoFocus}
          maxLength={64}
          value={state.name}
          onChange={(event) => onChange({ ...state, name: event.target.value })}
        />
      </Field>
      <Field
        label="Description (optional)"
        hint="Shown where the role is chosen: what whoever holds it is for."
      >
        <TextArea
          rows={2}
          maxLength={500}
          value={state.description}
          onChange={(event) => onChange({ ...state, description: event.target.value })}
        />
      </Field>
      <Field label="Colour" hint="As #RRGGBB; its square stands beside the name.">
        <div className="swatches">
          {COLOURS.map(({ value, label }) => (
            <button
              key={label}
              type="button"
              className="swatch"
              aria-label={label}
              aria-pressed={state.color.toLowerCase() === value.toLowerCase()}
              style={value === '' ? undefined : ({ '--c': value } as object)}
              onClick={() => onChange({ ...state, color: value })}
            />
          ))}
          <Input
            className="mono w-28!"
            maxLength={7}
            placeholder="#RRGGBB"
            value={state.color}
            onChange={(event) => onChange({ ...state, color: event.target.value })}
          />
        </div>
      </Field>
    </div>
  )
}
