import { memo, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Check } from '../components/cell.tsx'
import { DateTime, shortDay } from '../components/date-time.tsx'
import { Icon } from '../components/icon.tsx'
import { MoreMenu } from '../components/menu.tsx'
import { Avatar, Badge, RoleName } from '../components/pieces.tsx'
import { RowLink } from '../components/row-link.tsx'
import type { Option } from '../components/select.tsx'
import { type MemberActs, memberMenu } from './member-acts.ts'
import { MemberRole } from './member-role.tsx'
import { nameOf } from './names.ts'
import type { Member } from './queries.ts'

type MemberRowProps = {
  member: Member
  place: number
  acts: MemberActs
  /** How many environments there are; null where that is unknown. */
  environments: number | null
  color: string
  options: readonly Option<string>[]
  isSelected: boolean
  onToggle: (member: Member) => void
  onRemove: (member: Member) => void
  onTransfer: () => void
}

/** A member in the list, with its role to change in place. */
export const MemberRow = memo(function MemberRow(props: MemberRowProps) {
  const { member, place, acts, environments, color, options, isSelected, onToggle, onRemove, onTransfer } =
    props
  const name = nameOf(member)
  const row = useRef<HTMLTableRowElement>(null)
  const { isLive, handlers } = useLiveControls(row)
  return (
    <tr ref={row} aria-rowindex={place + 2} className={isSelected ? 'sel' : undefined} {...handlers}>
      <td>
        {(acts.mayChangeRole || acts.mayRemove) && (
          <Check
            aria-label={`Select ${name}`}
            checked={isSelected}
            disabled={!acts.isSelectable}
            title={acts.selectRefusal ?? undefined}
            onChange={() => onToggle(member)}
          />
        )}
      </td>
      <th scope="row">
        <div className="who">
          <Avatar name={name} />
          <span>
            <RowLink href={`/members/${member.id}/access`}>{name}</RowLink>
            {acts.isSelf && <span className="faint font-normal"> you</span>}
            <br className="narrow" />
            {name !== member.email && <span className="mail">{member.email}</span>}
          </span>
        </div>
      </th>
      <td>
        {acts.mayChangeRole && acts.changeRefusal === null ? (
          isLive ? (
            <MemberRole member={member} options={options} refusal={null} bare />
          ) : (
            <StillSelect name={name} role={member.role.name} color={color} />
          )
        ) : (
          <span title={acts.mayChangeRole ? (acts.changeRefusal ?? undefined) : undefined}>
            <RoleName name={member.role.name} color={color} />
            {acts.mayChangeRole && <span className="vh">. {acts.changeRefusal}</span>}
          </span>
        )}
      </td>
      <td className="num wide nowrap">
        <RowLink className="plain" href={`/members/${member.id}/access`}>
          <CanOpen member={member} environments={environments} />
        </RowLink>
      </td>
      <td className="wide mid dim num nowrap">
        <time dateTime={member.createdAt}>{shortDay(member.createdAt)}</time>
      </td>
      <td className="wide mid dim num nowrap">
        <DateTime at={member.lastSeenAt} />
      </td>
      <td className="r wide">
        {(acts.mayTransfer || acts.mayRemove) &&
          (isLive ? (
            <MoreMenu
              label={`More for ${name}`}
              entries={memberMenu(acts, { onRemove: () => onRemove(member), onTransfer })}
            />
          ) : (
            <StillMenu name={name} />
          ))}
      </td>
    </tr>
  )
})

/**
 * Whether a row has its controls, or what looks like them: hundreds of menus that nobody opens would make scrolling slow. A
 * pointer that moves in the row and the focus that arrives there get the real ones; a row that scrolls under a pointer at
 * rest doesn't.
 */
function useLiveControls(row: RefObject<HTMLTableRowElement | null>) {
  const [isLive, setLive] = useState(false)
  const focused = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (!isLive || focused.current === null) return
    row.current?.querySelector<HTMLElement>(focused.current)?.focus()
    focused.current = null
  }, [isLive, row])
  // At once: the press that follows must meet the real control.
  const live = () => {
    if (!isLive) flushSync(() => setLive(true))
  }
  const onFocus = ({ target }: { target: HTMLElement }) => {
    if (isLive) return
    focused.current = STILL.find((selector) => target.matches(selector)) ?? null
    setLive(true)
  }
  return { isLive, handlers: { onPointerMove: live, onPointerDownCapture: live, onFocus } }
}

const STILL = ['.select', '.btn.icon']

function StillSelect({ name, role, color }: { name: string; role: string; color: string }) {
  return (
    <button
      type="button"
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      className="select bare"
      aria-label={`Role of ${name}: ${role}`}
    >
      <RoleName name={role} color={color} />
      <Icon name="down" small />
    </button>
  )
}

const StillMenu = ({ name }: { name: string }) => (
  <button type="button" className="btn quiet icon" aria-haspopup="menu" aria-label={`More for ${name}`}>
    <Icon name="dots" />
  </button>
)

function CanOpen({ member, environments }: Pick<MemberRowProps, 'member' | 'environments'>) {
  const { accessibleEnvironments: open, globalAccess } = member
  if (globalAccess) {
    return (
      <>
        All {open} <span className="faint">by role</span>
      </>
    )
  }
  if (open === 0) return <Badge tone="warn">Nothing</Badge>
  return <>{environments === null ? open : `${open} of ${environments}`}</>
}
