import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { messageOf } from '../api/errors.ts'
import { can } from '../api/me.ts'
import { usePagedList } from '../api/paging.ts'
import { ButtonLink } from '../components/button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { SearchInput } from '../components/field.tsx'
import { SortHead } from '../components/filters.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Banner, Empty, LoadMore, SkeletonTable, Tag } from '../components/pieces.tsx'
import { useSearchText } from '../components/use-search-text.ts'
import { useShortcut } from '../shell/shortcuts.ts'
import { useViewer } from '../shell/viewer.ts'
import { type AppsSearch, appsQuery } from './queries.ts'

const route = getRouteApi('/shell/apps')

/** The apps that the viewer can open, each with its environments. */
export function AppsPage() {
  const viewer = useViewer()
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = (next: Partial<AppsSearch>) =>
    void navigate({
      to: '/apps',
      search: (previous: AppsSearch) => ({ ...previous, ...next }) as AppsSearch,
      replace: true,
    })
  const [text, type] = useSearchText(search.q ?? '', (q) =>
    change({ q: q === '' ? undefined : q } as Partial<AppsSearch>),
  )
  const list = usePagedList(appsQuery(search))
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
      <search className="tools">
        <SearchInput
          label="Name of an app"
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
        <NoApps searched={search.q !== undefined} act={mayCreate && newApp} />
      ) : (
        <table className="list">
          <caption className="vh">Apps</caption>
          <thead>
            <tr>
              <SortHead
                label="Name"
                field="name"
                sort={search.sort ?? 'name'}
                onSort={(sort) => change({ sort } as Partial<AppsSearch>)}
              />
              <th scope="col">Environments</th>
              <th scope="col" className="wide">
                Description
              </th>
              <SortHead
                label="Created"
                field="created_at"
                className="wide mid"
                sort={search.sort ?? 'name'}
                onSort={(sort) => change({ sort } as Partial<AppsSearch>)}
              />
            </tr>
          </thead>
          <tbody>
            {list.rows.map((app) => (
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
      {list.hasMore && <LoadMore left={list.left} busy={list.isLoadingMore} onClick={list.loadMore} />}
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
