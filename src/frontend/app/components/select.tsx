import { Select as Base } from '@base-ui/react/select'
import type { ReactNode } from 'react'
import { Icon } from './icon.tsx'

/** One value to choose. `disabledBecause` is the sentence that says why it can't be chosen here. */
export type Option<V extends string> = {
  value: V
  label: ReactNode
  /** One line that says what choosing it means. */
  meaning?: string
  disabledBecause?: string | null
}

type SelectProps<V extends string> = {
  /** What is chosen: the accessible name. */
  label: string
  value: V | null
  options: readonly Option<V>[]
  onChange: (value: V) => void
  placeholder?: string
  /** In tables: without an edge until it is hovered. */
  bare?: boolean
  disabledBecause?: string | null
}

/** A choice of one among few, each with a line of meaning. */
export function Select<V extends string>({
  label,
  value,
  options,
  onChange,
  placeholder = 'Choose',
  bare = false,
  disabledBecause = null,
}: SelectProps<V>) {
  const chosen = options.find((option) => option.value === value)
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => next !== null && onChange(next as V)}
      disabled={disabledBecause !== null}
    >
      <Base.Trigger
        className={bare ? 'select bare' : 'select'}
        aria-label={label}
        aria-description={disabledBecause ?? undefined}
        title={disabledBecause ?? undefined}
      >
        <Base.Value>{() => chosen?.label ?? placeholder}</Base.Value>
        <Icon name={disabledBecause === null ? 'down' : 'lock'} small />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="floating" sideOffset={4} alignItemWithTrigger={false} align="start">
          <Base.Popup className="menu">
            <Base.List>
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  disabled={(option.disabledBecause ?? null) !== null}
                  className="menu-item"
                >
                  <span className="menu-mark">
                    {(option.disabledBecause ?? null) !== null ? (
                      <Icon name="lock" />
                    ) : (
                      <Base.ItemIndicator>
                        <Icon name="check" />
                      </Base.ItemIndicator>
                    )}
                  </span>
                  <span>
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {(option.disabledBecause ?? option.meaning) && (
                      <small>{option.disabledBecause ?? option.meaning}</small>
                    )}
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
