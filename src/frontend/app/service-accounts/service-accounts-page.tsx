import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { messageOf } from '../api/errors.ts'
import { can } from '../api/me.ts'
import { usePagedList } from '../api/paging.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { SearchInput } from '../components/field.tsx'
import { Filter } from '../components/filters.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Banner, Empty, LoadMore, SkeletonTable } from '../components/pieces.tsx'
import { useSearchText } from '../components/use-search-text.ts'
import { rolesQuery } from '../roles/role-options.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { useViewer } from '../shell/viewer.ts'
import { AccountsTable } from './accounts-table.tsx'
import { accountsQuery } from './queries.ts'
import type { AccountsSearch } from './search.ts'

const route = getRouteApi('/shell/service-accounts')

type Change = { [Key in keyof AccountsSearch]?: AccountsSearch[Key] | undefined }

/** The machines that hold a role: what each can open, how many tokens it has, and when one was last used. */
export function ServiceAccountsPage() {
  const viewer = useViewer()
  const search: AccountsSearch = route.useSearch()
  const navigate = useNavigate()
  const change = (next: Change) =>
    void navigate({
      to: '/service-accounts',
      search: (previous: AccountsSearch) => without({ ...previous, ...next }),
      replace: true,
    })
  const list = usePagedList(accountsQuery(search))
  const mayCreate = can(viewer, 'create', 'ServiceAccounts')
  useShortcut('n', () => mayCreate && void navigate({ to: '/service-accounts/new' }))
  const create = mayCreate && (
    <ButtonLink to="/service-accounts/new" kind="primary" icon="plus" hint="N">
      New service account
    </ButtonLink>
  )
  const isFiltered = search.q !== undefined || search.role !== undefined
  return (
    <>
      <PageHead
        title="Service accounts"
        text="Machines that hold a role: servers, pipelines, operators. Each opens only what was given to it, with tokens of its own."
      >
        {create}
      </PageHead>
      <AccountsTools
        search={search}
        onChange={change}
        count={list.total === null ? '' : `${list.rows.length} of ${list.total}`}
      />
      {list.error !== null && <Banner tone="remove">{messageOf(list.error)}</Banner>}
      {list.isPending ? (
        <SkeletonTable columns={5} />
      ) : list.rows.length > 0 ? (
        <AccountsTable rows={list.rows} sort={search.sort ?? ''} onSort={(sort) => change({ sort })} />
      ) : isFiltered ? (
        <Empty
          title="No service account is like that"
          icon="machine"
          act={<Button onClick={() => navigate({ to: '/service-accounts', search: {} })}>Show all</Button>}
        >
          Search for another name, or remove the filter.
        </Empty>
      ) : (
        <Empty title="No service accounts yet" icon="machine" act={create}>
          Make one for each program that reads secrets, so that each opens only what it needs.
        </Empty>
      )}
      {list.hasMore && <LoadMore left={list.left} busy={list.isLoadingMore} onClick={list.loadMore} />}
    </>
  )
}

function AccountsTools({
  search,
  onChange,
  count,
}: {
  search: AccountsSearch
  onChange: (next: Change) => void
  count: string
}) {
  const mayReadRoles = can(useViewer(), 'read', 'Roles')
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: mayReadRoles })
  const [text, type] = useSearchText(search.q ?? '', (q) => onChange({ q: q === '' ? undefined : q }))
  const role =
    search.role === undefined ? null : (roles.find(({ id }) => id === search.role)?.name ?? 'of the address')
  return (
    <search className="tools">
      <SearchInput
        label="Name of a service account"
        value={text}
        maxLength={100}
        onChange={(event) => type(event.target.value)}
      />
      {(mayReadRoles || role !== null) && (
        <Filter
          label="Role"
          chosen={role}
          options={roles.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => onChange({ role: id ?? undefined })}
        />
      )}
      <span className="push dim small num" role="status">
        {count}
      </span>
    </search>
  )
}

const without = (search: Change): AccountsSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined))
