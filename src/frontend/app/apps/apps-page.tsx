import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { can } from '../api/me.ts'
import { usePagedList } from '../api/paging.ts'
import { useCountsWith } from '../api/refresh.ts'
import { ButtonLink } from '../components/button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { SortHead } from '../components/filters.tsx'
import { PageHead } from '../components/page-head.tsx'
import { ListTools, PagedRows } from '../components/paged-rows.tsx'
import { Empty, Tag } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { withoutBlanks } from '../shell/search.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { useViewer } from '../shell/viewer.ts'
import { type AppsSearch, appsQuery } from './queries.ts'

const route = getRouteApi('/shell/apps')

/** The apps that the viewer can open, each with its environments. */
export function AppsPage() {
  const viewer = useViewer()
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = (next: { [K in keyof AppsSearch]?: AppsSearch[K] | undefined }) =>
    void navigate({
      to: '/apps',
      search: (previous: AppsSearch) => withoutBlanks<AppsSearch>({ ...previous, ...next }),
      replace: true,
    })
  const order = {
    sort: search.sort ?? 'name',
    onSort: (sort: string) => change({ sort: sort as AppsSearch['sort'] }),
  }
  const list = usePagedList(appsQuery(search))
  useCountsWith(search.q === undefined ? list.total : null)
  const mayCreate = can(viewer, 'create', 'Apps')
  useShortcut('n', () => mayCreate && void navigate({ to: '/apps/new' }))
  const newApp = (
    <ButtonLink to="/apps/new" kind="primary" icon="plus" hint="N">
      New app
    </ButtonLink>
  )
  return (
    <>
      <PageHead
        title="Apps and secrets"
        text="Each app has environments, and each environment its own secrets and keys. You see what you can open."
      >
        {mayCreate && newApp}
      </PageHead>
      <ListTools list={list} label="Name of an app" q={search.q} onSearch={(q) => change({ q })} />
      <PagedRows
        list={list}
        columns={3}
        empty={<NoApps searched={search.q !== undefined} act={mayCreate && newApp} />}
      >
        {(rows) => (
          <table className="list">
            <caption className="vh">Apps</caption>
            <thead>
              <tr>
                <SortHead label="Name" field="name" {...order} />
                <Head>Environments</Head>
                <Head wide>Description</Head>
                <SortHead label="Created" field="created_at" className="wide mid" {...order} />
              </tr>
            </thead>
            <tbody>
              {rows.map((app) => (
                <tr key={app.id}>
                  <th scope="row">
                    <Link to="/apps/$appId/secrets" params={{ appId: app.id }}>
                      {app.name}
                    </Link>
                  </th>
                  <td>
                    <span className="row gap-1! py-1.5">
                      {app.environments.map((environment) => (
                        <Tag key={environment.id}>{environment.name}</Tag>
                      ))}
                    </span>
                  </td>
                  <td className="wide dim max-w-80 truncate">{app.description}</td>
                  <td className="wide mid dim">
                    <DateTime at={app.createdAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagedRows>
    </>
  )
}

function NoApps({ searched, act }: { searched: boolean; act: React.ReactNode }) {
  if (searched) return <Empty title="No app has this name">Search for another part of the name.</Empty>
  return (
    <Empty title="There is no app that you can open" act={act}>
      An app holds the secrets of one thing that you run, in environments such as Development, Staging and
      Production.
    </Empty>
  )
}
