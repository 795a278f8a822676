import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

type Tone = 'add' | 'remove' | 'warn' | 'accent'

/** A state in one or two words; never clickable. */
export const Badge = ({ tone, children }: { tone?: Tone; children: ReactNode }) => (
  <span className={`badge ${tone ?? ''}`}>{children}</span>
)

/** A tag, as its user wrote it. */
export const Tag = ({ children }: { children: ReactNode }) => <span className="tag">{children}</span>

type BannerProps = {
  tone?: 'warn' | 'remove'
  icon?: IconName
  children: ReactNode
  act?: ReactNode
  id?: string
}

/** Stays until its cause is gone. What refuses something is announced at once. */
export function Banner({
  tone,
  icon = tone === undefined ? 'info' : 'warn',
  children,
  act,
  id,
}: BannerProps) {
  return (
    <div className={`banner ${tone ?? ''}`} role={tone === 'remove' ? 'alert' : undefined} id={id}>
      <Icon name={icon} />
      <div>{children}</div>
      {act !== undefined && <div className="push">{act}</div>}
    </div>
  )
}

/** Two initials; round for people, square with the machine's mark for service accounts. */
export function Avatar({
  name,
  machine = false,
  large = false,
}: {
  name: string
  machine?: boolean
  large?: boolean
}) {
  return (
    <span className={`avatar ${machine ? 'sq' : ''} ${large ? 'lg' : ''}`} aria-hidden="true">
      {machine ? <Icon name="machine" small /> : initials(name)}
    </span>
  )
}

/** The initials of the first and the last word of a name; of an e-mail address its first letter. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  const first = [...(words[0] ?? '')][0] ?? ''
  const last = words.length > 1 ? ([...(words.at(-1) ?? '')][0] ?? '') : ''
  return (first + last).toUpperCase()
}

/** A role: a hollow square for a default one, filled with its colour for a custom one. */
export function RoleName({ name, color = '' }: { name: string; color?: string }) {
  return (
    <span className="role">
      <i style={color === '' ? undefined : ({ '--c': color } as object)} />
      {name}
    </span>
  )
}

/** The mark of Keyward: nine access cells. */
export const Mark = () => (
  <svg className="mark" viewBox="0 0 17 17" aria-hidden="true">
    <path className="on" d="M0 0h5v5H0zM0 6h5v5H0zM0 12h5v5H0zM6 6h5v5H6zM12 0h5v5h-5zM12 12h5v5h-5z" />
    <path className="off" d="M6 0h5v5H6zM12 6h5v5h-5zM6 12h5v5H6z" />
  </svg>
)

/** Says what a list would hold and how to begin. */
export function Empty({
  title,
  children,
  act,
  icon,
}: {
  title: string
  children: ReactNode
  act?: ReactNode
  icon?: IconName
}) {
  return (
    <div className="empty">
      {icon === undefined ? <Mark /> : <Icon name={icon} />}
      <h2>{title}</h2>
      <p>{children}</p>
      {act}
    </div>
  )
}

/** Rows in the shape of the table that is being loaded. */
export function SkeletonTable({ columns = 4, rows = 5 }: { columns?: number; rows?: number }) {
  return (
    <table className="list table-fixed" aria-busy="true" aria-label="Loading">
      <tbody>
        {range(rows).map((row) => (
          <tr key={row}>
            {range(columns).map((column) => (
              <td key={column}>
                <span className={column === 0 ? 'skel w-40' : 'skel w-24'} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type LoadMoreProps = {
  left: number | null
  busy: boolean
  onClick: () => void
  note?: string
  /** How many the next page has at most. */
  size?: number
}

/** Loads the next page of a list, and says how much is left. */
export function LoadMore({ left, busy, onClick, note, size = 50 }: LoadMoreProps) {
  return (
    <div className="more">
      <Button busy={busy} onClick={onClick}>
        {left === null ? 'Load more' : left <= size ? `Load ${left} more` : `Load ${size} of ${left} more`}
      </Button>
      {note !== undefined && <span>{note}</span>}
    </div>
  )
}

const range = (count: number): number[] => Array.from({ length: count }, (_, place) => place)
