import { Menu as Base } from '@base-ui/react/menu'
import { Icon } from './icon.tsx'

type FilterProps = {
  /** What is filtered by: "Role". */
  label: string
  /** The chosen value's words; null while the filter is off. */
  chosen: string | null
  options: readonly { value: string; label: string }[]
  onChange: (value: string | null) => void
}

/** A filter that mirrors the address: dashed while it can be added, solid with its own remove button while it is on. */
export function Filter({ label, chosen, options, onChange }: FilterProps) {
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
    <Base.Root>
      <Base.Trigger className="chip">
        <Icon name="plus" small />
        {label}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="floating" sideOffset={4} align="start">
          <Base.Popup className="menu">
            {options.map(({ value, label }) => (
              <Base.Item key={value} className="menu-item" onClick={() => onChange(value)}>
                {label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

type SortHeadProps = {
  label: string
  /** The field's name in the address and in the API. */
  field: string
  /** The sort in the address: a field, with `-` before it for descending. */
  sort: string
  onSort: (sort: string) => void
  className?: string
}

/** The head of a column that sorts the list; a second press turns the order round. */
export function SortHead({ label, field, sort, onSort, className }: SortHeadProps) {
  const isUp = sort === field
  const isDown = sort === `-${field}`
  return (
    <th scope="col" className={className} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}>
      <button type="button" onClick={() => onSort(isUp ? `-${field}` : field)}>
        {label}
        {(isUp || isDown) && (
          <span className={isDown ? 'rotate-180' : ''}>
            <Icon name="up" small />
          </span>
        )}
      </button>
    </th>
  )
}
