import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { can } from '../api/me.ts'
import { usePagedList } from '../api/paging.ts'
import { ButtonLink } from '../components/button.tsx'
import { SortHead } from '../components/filters.tsx'
import { PageHead } from '../components/page-head.tsx'
import { ListTools, PagedRows } from '../components/paged-rows.tsx'
import { Badge, Empty, RoleName } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { withoutBlanks } from '../shell/search.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { useViewer } from '../shell/viewer.ts'
import { type RolesSearch, rolesListQuery } from './queries.ts'
import { meaningOf } from './role-options.tsx'

const route = getRouteApi('/shell/roles')

/** The roles of the organisation, and how many hold each. */
export function RolesPage() {
  const viewer = useViewer()
  const search: RolesSearch = route.useSearch()
  const navigate = useNavigate()
  const change = (next: { [K in keyof RolesSearch]?: RolesSearch[K] | undefined }) =>
    void navigate({
      to: '/roles',
      search: (previous: RolesSearch) => withoutBlanks<RolesSearch>({ ...previous, ...next }),
      replace: true,
    })
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
      <ListTools list={list} label="Name of a role" q={search.q} onSearch={(q) => change({ q })} />
      <PagedRows
        list={list}
        columns={3}
        empty={
          <Empty title="No role is named so" icon="role">
            Search for another name.
          </Empty>
        }
      >
        {(rows) => (
          <RolesTable
            rows={rows}
            sort={search.sort ?? ''}
            onSort={(sort) => change({ sort: sort as RolesSearch['sort'] })}
          />
        )}
      </PagedRows>
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
          <Head wide>What it is for</Head>
          <Head wide>Kind</Head>
          <Head right>Members</Head>
          <Head right>Service accounts</Head>
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
