import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { messageOf } from '../api/errors.ts'
import { can } from '../api/me.ts'
import { usePagedList } from '../api/paging.ts'
import { ButtonLink } from '../components/button.tsx'
import { SearchInput } from '../components/field.tsx'
import { SortHead } from '../components/filters.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Badge, Banner, Empty, LoadMore, RoleName, SkeletonTable } from '../components/pieces.tsx'
import { useSearchText } from '../components/use-search-text.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { useViewer } from '../shell/viewer.ts'
import { type RolesSearch, rolesListQuery } from './queries.ts'
import { meaningOf } from './role-options.tsx'

const route = getRouteApi('/shell/roles')

type Change = { [Key in keyof RolesSearch]?: RolesSearch[Key] | undefined }

const without = (search: Change): RolesSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))

/** The roles of the organisation, and how many hold each. */
export function RolesPage() {
  const viewer = useViewer()
  const search: RolesSearch = route.useSearch()
  const navigate = useNavigate()
  const change = (next: Change) =>
    void navigate({
      to: '/roles',
      search: (previous: RolesSearch) => without({ ...previous, ...next }),
      replace: true,
    })
  const [text, type] = useSearchText(search.q ?? '', (q) => change({ q: q === '' ? undefined : q }))
  const list = usePagedList(rolesListQuery(search))
  const mayCreate = can(viewer, 'create', 'Roles')
  useShortcut('n', () => mayCreate && void navigate({ to: '/roles/new' }))
  return (
    <>
      <PageHead
        title="Roles"
        text="A role says what its holders may do. Where, their access says; only Owner and Admin open everything."
      >
        {mayCreate && (
          <ButtonLink to="/roles/new" kind="primary" icon="plus" hint="N">
            New role
          </ButtonLink>
        )}
      </PageHead>
      <search className="tools">
        <SearchInput
          label="Name of a role"
          value={text}
          maxLength={100}
          onChange={(event) => type(event.target.value)}
        />
        <span className="push dim small num" role="status">
          {list.total !== null && `${list.rows.length} of ${list.total}`}
        </span>
      </search>
      {list.error !== null && <Banner tone="remove">{messageOf(list.error)}</Banner>}
      {list.isPending ? (
        <SkeletonTable columns={3} />
      ) : list.rows.length === 0 ? (
        <Empty title="No role is named so" icon="role">
          Search for another name.
        </Empty>
      ) : (
        <RolesTable
          rows={list.rows}
          sort={search.sort ?? ''}
          onSort={(sort) => change({ sort: sort as RolesSearch['sort'] })}
        />
      )}
      {list.hasMore && <LoadMore left={list.left} busy={list.isLoadingMore} onClick={list.loadMore} />}
    </>
  )
}

type ListedRole = {
  id: string
  name: string
  description: string | null
  color: string
  isDefault: boolean
  memberCount?: number
  serviceAccountCount?: number
}
type RolesTableProps = { rows: readonly ListedRole[]; sort: string; onSort: (sort: string) => void }

function RolesTable({ rows, sort, onSort }: RolesTableProps) {
  return (
    <table className="list">
      <caption className="vh">Roles</caption>
      <thead>
        <tr>
          <SortHead label="Name" field="name" sort={sort} onSort={onSort} />
          <th scope="col" className="wide">
            What it is for
          </th>
          <th scope="col" className="wide">
            Kind
          </th>
          <th scope="col" className="r">
            Members
          </th>
          <th scope="col" className="r">
            Service accounts
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((role) => (
          <tr key={role.id}>
            <th scope="row">
              <Link to="/roles/$roleId" params={{ roleId: role.id }}>
                <RoleName name={role.name} color={role.color} />
              </Link>
            </th>
            <td className="wide dim">{role.isDefault ? meaningOf(role) : role.description}</td>
            <td className="wide">
              {role.isDefault ? <span className="dim">Default</span> : <Badge>Custom</Badge>}
            </td>
            <td className="r num">
              <HolderCount count={role.memberCount} to="/members" roleId={role.id} what="members" />
            </td>
            <td className="r num">
              <HolderCount
                count={role.serviceAccountCount}
                to="/service-accounts"
                roleId={role.id}
                what="service accounts"
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

type HolderCountProps = {
  count: number | undefined
  to: '/members' | '/service-accounts'
  roleId: string
  what: string
}

function HolderCount({ count, to, roleId, what }: HolderCountProps) {
  if (count === undefined) return <span className="faint">hidden</span>
  if (count === 0) return <span className="faint">0</span>
  return (
    <Link to={to} search={{ role: roleId }} aria-label={`${count} ${what} with this role`}>
      {count}
    </Link>
  )
}
