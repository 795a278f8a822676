import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Fragment, useCallback, useMemo, useRef, useState } from 'react'
import { environmentCountQuery } from '../access/queries.ts'
import { Check } from '../components/cell.tsx'
import { SortHead } from '../components/filters.tsx'
import { Head } from '../components/table.tsx'
import { Gap, usePageVirtualRows } from '../components/virtual-rows.tsx'
import { useRoles } from '../roles/role-options.tsx'
import { useViewer } from '../shell/viewer.ts'
import { actsOn } from './member-acts.ts'
import { useMemberRoles } from './member-role.tsx'
import { MemberRow } from './member-row.tsx'
import type { Member } from './queries.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import type { MemberSort } from './search.ts'

type Selected = ReadonlyMap<string, Member>

type MembersTableProps = {
  members: readonly Member[]
  sort: MemberSort
  onSort: (sort: MemberSort) => void
  selected: Selected
  onSelect: (selected: Selected) => void
  isStale: boolean
}

const NO_ROLES: never[] = []
const ROW_HEIGHT = 40
const COLUMNS = 7

/** The list of members; of a long one only the rows in sight are drawn. */
export function MembersTable({ members, sort, onSort, selected, onSelect, isStale }: MembersTableProps) {
  const viewer = useViewer()
  const navigate = useNavigate()
  const { data: roles = NO_ROLES } = useRoles()
  const { data: environments = null } = useQuery(environmentCountQuery(viewer))
  const [removing, setRemoving] = useState<Member | null>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const { indexes, gaps, end } = usePageVirtualRows({
    count: members.length,
    body,
    rowHeight: ROW_HEIGHT,
  })
  const acts = useMemo(
    () => new Map(members.map((member) => [member.id, actsOn(viewer, member, roles)])),
    [members, roles, viewer],
  )
  const latest = useRef(selected)
  latest.current = selected
  const onToggle = useCallback(
    (member: Member) => {
      const next = new Map(latest.current)
      if (!next.delete(member.id)) next.set(member.id, member)
      onSelect(next)
    },
    [onSelect],
  )
  const onTransfer = useCallback(
    () => void navigate({ to: '/settings/$section', params: { section: 'organisation' } }),
    [navigate],
  )
  const options = useMemberRoles()
  const colorOf = useMemo(() => new Map(roles.map(({ id, color }) => [id, color])), [roles])
  const selectable = useMemo(() => members.filter(({ id }) => acts.get(id)?.isSelectable), [members, acts])
  const isAll = selectable.length > 0 && selectable.every(({ id }) => selected.has(id))
  return (
    <>
      <table
        className={selectable.length > 0 ? 'list members' : 'list members unselectable'}
        aria-busy={isStale || undefined}
        aria-rowcount={members.length + 1}
      >
        <caption className="vh">Members</caption>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">
              {selectable.length > 0 && (
                <Check
                  aria-label="Select all members shown"
                  checked={isAll}
                  mixed={!isAll && selected.size > 0}
                  onChange={() =>
                    onSelect(isAll ? new Map() : new Map(selectable.map((member) => [member.id, member])))
                  }
                />
              )}
              {selectable.length === 0 && <span className="vh">Selection</span>}
            </th>
            <SortHead label="Name" field="name" sort={sort} onSort={onSort as (sort: string) => void} />
            <SortHead label="Role" field="role" sort={sort} onSort={onSort as (sort: string) => void} />
            <Head wide>Can open</Head>
            <SortHead
              className="wide mid"
              label="Joined"
              field="created_at"
              sort={sort}
              onSort={onSort as (sort: string) => void}
            />
            <SortHead
              className="wide mid"
              label="Last seen"
              field="last_seen_at"
              sort={sort}
              onSort={onSort as (sort: string) => void}
            />
            <td className="wide" />
          </tr>
        </thead>
        <tbody ref={body}>
          {indexes.map((place) => {
            const member = members[place]
            const ofMember = member === undefined ? undefined : acts.get(member.id)
            if (member === undefined || ofMember === undefined) return null
            return (
              <Fragment key={member.id}>
                <Gap height={gaps.get(place) ?? 0} columns={COLUMNS} />
                <MemberRow
                  member={member}
                  place={place}
                  acts={ofMember}
                  environments={environments}
                  color={colorOf.get(member.role.id) ?? ''}
                  options={options}
                  isSelected={selected.has(member.id)}
                  onToggle={onToggle}
                  onRemove={setRemoving}
                  onTransfer={onTransfer}
                />
              </Fragment>
            )
          })}
          <Gap height={end} columns={COLUMNS} />
        </tbody>
      </table>
      <RemoveDialog member={removing} onClose={() => setRemoving(null)} />
    </>
  )
}
