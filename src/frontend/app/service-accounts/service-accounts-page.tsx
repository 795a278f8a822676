import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { can } from '../api/me.ts'
import { usePagedList } from '../api/paging.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { PageHead } from '../components/page-head.tsx'
import { ListTools, PagedRows } from '../components/paged-rows.tsx'
import { Empty } from '../components/pieces.tsx'
import { RoleFilter } from '../roles/role-filter.tsx'
import { withoutBlanks } from '../shell/search.ts'
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
      search: (previous: AccountsSearch) => withoutBlanks<AccountsSearch>({ ...previous, ...next }),
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
      <ListTools list={list} label="Name of a service account" q={search.q} onSearch={(q) => change({ q })}>
        <RoleFilter roleId={search.role} onChange={(role) => change({ role })} />
      </ListTools>
      <PagedRows
        list={list}
        columns={5}
        empty={
          isFiltered ? (
            <Empty
              title="No service account is like that"
              icon="machine"
              act={
                <Button onClick={() => navigate({ to: '/service-accounts', search: {} })}>Show all</Button>
              }
            >
              Search for another name, or remove the filter.
            </Empty>
          ) : (
            <Empty title="No service accounts yet" icon="machine" act={create}>
              Make one for each program that reads secrets, so that each opens only what it needs.
            </Empty>
          )
        }
      >
        {(rows) => <AccountsTable rows={rows} sort={search.sort ?? ''} onSort={(sort) => change({ sort })} />}
      </PagedRows>
    </>
  )
}
