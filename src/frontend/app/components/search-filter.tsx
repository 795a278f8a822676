import { Combobox as Base } from '@base-ui/react/combobox'
import { Icon, type IconName } from './icon.tsx'

export type SearchOption = { value: string; label: string; icon?: IconName; note?: string }

type SearchFilterProps = {
  /** What is filtered by: "Who". */
  label: string
  /** The chosen value's words; null while the filter is off. */
  chosen: string | null
  options: readonly SearchOption[]
  onChange: (value: string | null) => void
  /** Called with what is typed, where the options come from the server. */
  onSearch?: (text: string) => void
  /** Called when the options are about to be seen. */
  onOpen?: () => void
}

/** A filter among many values, found by typing: dashed while it can be added, solid with its own remove button while it is on. */
export function SearchFilter({ label, chosen, options, onChange, onSearch, onOpen }: SearchFilterProps) {
  if (chosen !== null) {
    return (
      <span className="chip on">
        {label}: {chosen}
        <button
          type="button"
          aria-label={`Remove the filter ${label}: ${chosen}`}
          onClick={() => onChange(null)}
        >
          <Icon name="x" small />
        </button>
      </span>
    )
  }
  return (
    <Base.Root
      items={options}
      value={null as SearchOption | null}
      onValueChange={(option) => option !== null && onChange(option.value)}
      onInputValueChange={(text) => onSearch?.(text)}
      onOpenChange={(isOpen) => isOpen && onOpen?.()}
      autoHighlight
    >
      <Base.Trigger className="chip" aria-label={`Filter by ${label.toLowerCase()}`}>
        <Icon name="plus" small />
        {label}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="floating" sideOffset={4} align="start">
          <Base.Popup className="menu" aria-label={label}>
            <Base.Input
              className="input"
              placeholder={`Find: ${label.toLowerCase()}`}
              aria-label={`Find: ${label.toLowerCase()}`}
            />
            <Base.Empty className="menu-empty">Nothing is named so.</Base.Empty>
            <Base.List className="menu-list">
              {(option: SearchOption) => (
                <Base.Item key={option.value} value={option} className="menu-item">
                  {option.icon !== undefined && <Icon name={option.icon} />}
                  <span>
                    {option.label}
                    {option.note !== undefined && <small>{option.note}</small>}
                  </span>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
