import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { can } from '../api/me.ts'
import { useCountsWith } from '../api/refresh.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Banner, Empty, LoadMore, SkeletonTable } from '../components/pieces.tsx'
import { useRoleName } from '../roles/role-filter.tsx'
import { withoutBlanks } from '../shell/search.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { useViewer } from '../shell/viewer.ts'
import { inviteCountQuery } from './invite-queries.ts'
import { MembersTable } from './members-table.tsx'
import { MembersTools } from './members-tools.tsx'
import { type Member, membersQuery, NEXT_PAGES } from './queries.ts'
import type { MembersSearch, MembersSearchChange } from './search.ts'
import { SelectionBar } from './selection-bar.tsx'

const route = getRouteApi('/shell/members')
const NOBODY: ReadonlyMap<string, Member> = new Map()

/** The people of the organisation: searched, filtered and sorted in the address, changed in place or many at once. */
export function MembersPage() {
  const viewer = useViewer()
  const search: MembersSearch = route.useSearch()
  const navigate = useNavigate()
  const list = useInfiniteQuery(membersQuery(search))
  const [chosen, setSelected] = useState(NOBODY)
  const members = useMemo(() => list.data?.pages.flatMap((page) => page.data) ?? [], [list.data])
  const total = list.data?.pages.at(-1)?.total ?? members.length
  const selected = useMemo(() => asListed(chosen, members), [chosen, members])
  const isWhole = search.q === undefined && search.role === undefined && search.access === undefined
  useCountsWith(isWhole && !list.isPlaceholderData ? list.data?.pages[0]?.total : null)
  const mayInvite = can(viewer, 'create', 'Members')
  const change = (next: MembersSearchChange) => {
    setSelected(NOBODY)
    void navigate({
      to: '/members',
      search: (previous: MembersSearch) => withoutBlanks<MembersSearch>({ ...previous, ...next }),
      replace: true,
    })
  }
  return (
    <>
      <PageHead
        title="Members"
        text="People of the organisation. A role says what they may do, access says where."
      >
        <InvitesLink />
        {mayInvite && <InviteLink />}
      </PageHead>
      <MembersTools search={search} onChange={change} list={{ rows: members, total }} />
      {list.error !== null && <Banner tone="remove">{messageOf(list.error)}</Banner>}
      {list.isPending ? (
        <SkeletonTable columns={5} />
      ) : members.length === 0 ? (
        list.error === null && (
          <Nobody
            search={search}
            onShowAll={() => change({ q: undefined, role: undefined, access: undefined })}
          />
        )
      ) : (
        <MembersTable
          members={members}
          sort={search.sort ?? 'created_at'}
          onSort={(sort) => change({ sort })}
          selected={selected}
          onSelect={setSelected}
          isStale={list.isPlaceholderData}
        />
      )}
      {list.hasNextPage && (
        <LoadMore
          left={total - members.length}
          size={NEXT_PAGES}
          busy={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
          note={SORTED[search.sort ?? 'created_at']}
        />
      )}
      {selected.size > 0 && <SelectionBar selected={selected} onSelect={setSelected} />}
    </>
  )
}

/** The selected members as the list has them by now. */
function asListed(chosen: ReadonlyMap<string, Member>, members: readonly Member[]) {
  if (chosen.size === 0) return NOBODY
  const listed = new Map(members.map((member) => [member.id, member]))
  return new Map([...chosen].map(([id, member]) => [id, listed.get(id) ?? member]))
}

const SORTED: Record<NonNullable<MembersSearch['sort']>, string> = {
  created_at: 'Sorted by date joined, oldest first',
  '-created_at': 'Sorted by date joined, newest first',
  name: 'Sorted by name, A to Z',
  '-name': 'Sorted by name, Z to A',
  role: 'Sorted by role, A to Z',
  '-role': 'Sorted by role, Z to A',
  last_seen_at: 'Sorted by last seen, longest ago first',
  '-last_seen_at': 'Sorted by last seen, latest first',
}

function InvitesLink() {
  const { data: invites } = useQuery(inviteCountQuery)
  return (
    <ButtonLink to="/members/invites">
      Open invites {invites !== undefined && invites !== null && <span className="num dim">{invites}</span>}
    </ButtonLink>
  )
}

function InviteLink() {
  const navigate = useNavigate()
  useShortcut('i', () => void navigate({ to: '/members/invites', hash: 'new' }))
  return (
    <ButtonLink to="/members/invites" hash="new" kind="primary" icon="plus" hint="I">
      Invite
    </ButtonLink>
  )
}

function Nobody({ search, onShowAll }: { search: MembersSearch; onShowAll: () => void }) {
  const roleName = useRoleName(search.role)
  const filters = [
    ...(roleName === null ? [] : [`Role: ${roleName}`]),
    ...(search.access === undefined ? [] : ['Can open: nothing']),
  ]
  const withFilters =
    filters.length === 0
      ? ''
      : `, with the ${filters.length === 1 ? 'filter' : 'filters'} ${filters.join(' and ')}`
  return (
    <Empty
      title={search.q === undefined ? 'No member fits' : `No member matches “${search.q}”`}
      act={<Button onClick={onShowAll}>Show all members</Button>}
    >
      Members were searched by name and e-mail{withFilters}.
    </Empty>
  )
}
