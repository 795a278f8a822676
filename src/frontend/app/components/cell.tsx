import type { ComponentProps } from 'react'

/** What an access cell shows. `added` and `removed` are changes that are not applied yet. */
export type CellState =
  | 'open'
  | 'closed'
  | 'added'
  | 'removed'
  | 'by-role'
  | 'locked'
  | 'locked-open'
  | 'mixed'

const WORDS: Record<CellState, string> = {
  open: 'can open',
  closed: 'closed',
  added: 'will open after you apply',
  removed: 'will close after you apply',
  'by-role': 'open by role',
  locked: 'closed; you cannot open it yourself, so you cannot grant it',
  'locked-open': 'can open; you cannot open it yourself, so you cannot close it',
  mixed: 'partly open',
}

const CLASSES: Partial<Record<CellState, string>> = {
  added: 'added',
  removed: 'removed',
  'by-role': 'by-role',
  locked: 'locked',
  'locked-open': 'locked',
  mixed: 'mixed',
}

const CHECKED: ReadonlySet<CellState> = new Set<CellState>(['open', 'added', 'by-role', 'locked-open'])

type CellProps = {
  state: CellState
  /** What the cell is about: "Billing, Staging". Its state is added to it. */
  label: string
  /** What its state means, where the cell is not about access. */
  words?: string
  onToggle?: () => void
} & Pick<ComponentProps<'input'>, 'tabIndex' | 'onKeyDown' | 'onFocus' | 'title'> & {
    'data-row'?: number
    'data-column'?: number
  }

/** The access cell: open, closed, open by role, about to open or about to close. */
export function Cell({ state, label, words = WORDS[state], onToggle, ...rest }: CellProps) {
  const isFixed =
    onToggle === undefined || state === 'by-role' || state === 'locked' || state === 'locked-open'
  return (
    <input
      {...rest}
      type="checkbox"
      className={`cell ${CLASSES[state] ?? ''}`}
      checked={CHECKED.has(state)}
      aria-checked={state === 'mixed' ? 'mixed' : undefined}
      aria-disabled={isFixed || undefined}
      aria-label={`${label}: ${words}`}
      onChange={() => !isFixed && onToggle?.()}
    />
  )
}

/** Stands where an app has no such environment. */
export const NoCell = () => (
  <span className="dash" role="img" aria-label="no such environment">
    –
  </span>
)

/** A check box with its own label or, in tables, an `aria-label`. */
export function Check({
  mixed = false,
  className = '',
  ...rest
}: ComponentProps<'input'> & { mixed?: boolean }) {
  return (
    <input
      {...rest}
      type="checkbox"
      className={`check ${mixed ? 'mixed' : ''} ${className}`}
      ref={(element) => {
        if (element !== null) element.indeterminate = mixed
      }}
    />
  )
}

/** One of several choices that exclude each other. */
export const Radio = (props: ComponentProps<'input'>) => <input {...props} type="radio" className="radio" />
