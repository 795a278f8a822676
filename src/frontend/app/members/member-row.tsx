import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { Check } from '../components/cell.tsx'
import { DateTime, shortDay } from '../components/date-time.tsx'
import { type MenuEntry, MoreMenu } from '../components/menu.tsx'
import { Avatar, Badge, RoleName } from '../components/pieces.tsx'
import type { Option } from '../components/select.tsx'
import type { MemberActs } from './member-acts.ts'
import { type Member, nameOf } from './queries.ts'
import { RoleSelect } from './role-select.tsx'

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
  measure: (element: HTMLElement | null) => void
}

/** A member in the list, with its role to change in place. */
export const MemberRow = memo(function MemberRow(props: MemberRowProps) {
  const { member, place, acts, environments, color, options, isSelected, onToggle, measure } = props
  const name = nameOf(member)
  return (
    <tr ref={measure} data-index={place} aria-rowindex={place + 2} className={isSelected ? 'sel' : undefined}>
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
            <Link to="/members/$memberId/access" params={{ memberId: member.id }}>
              {name}
            </Link>
            {acts.isSelf && <span className="faint font-normal"> you</span>}
            <br className="narrow" />
            {name !== member.email && <span className="mail">{member.email}</span>}
          </span>
        </div>
      </th>
      <td>
        {acts.mayChangeRole && acts.changeRefusal === null ? (
          <RoleSelect member={member} options={options} refusal={null} bare />
        ) : (
          <span title={acts.mayChangeRole ? (acts.changeRefusal ?? undefined) : undefined}>
            <RoleName name={member.role.name} color={color} />
            {acts.mayChangeRole && <span className="vh">. {acts.changeRefusal}</span>}
          </span>
        )}
      </td>
      <td className="num wide">
        <Link className="plain" to="/members/$memberId/access" params={{ memberId: member.id }}>
          <CanOpen member={member} environments={environments} />
        </Link>
      </td>
      <td className="wide mid dim num nowrap">
        <time dateTime={member.createdAt}>{shortDay(member.createdAt)}</time>
      </td>
      <td className="wide mid dim num nowrap">
        <DateTime at={member.lastSeenAt} />
      </td>
      <td className="r wide">
        <RowMenu {...props} name={name} />
      </td>
    </tr>
  )
})

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

function RowMenu({ member, acts, onRemove, onTransfer, name }: MemberRowProps & { name: string }) {
  const entries: MenuEntry[] = [
    ...(acts.mayTransfer
      ? [{ label: 'Transfer ownership…', icon: 'role' as const, onClick: onTransfer }]
      : []),
    ...(acts.mayRemove
      ? [
          {
            label: 'Remove…',
            icon: 'trash' as const,
            danger: true,
            disabledBecause: acts.removeRefusal,
            onClick: () => onRemove(member),
          },
        ]
      : []),
  ]
  return entries.length === 0 ? null : <MoreMenu label={`More for ${name}`} entries={entries} />
}
