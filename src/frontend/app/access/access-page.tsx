import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { Button } from '../components/button.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Banner, Empty, SkeletonTable } from '../components/pieces.tsx'
import { counted } from '../components/words.ts'
import { withoutBlanks } from '../shell/search.ts'
import { useViewer } from '../shell/viewer.ts'
import { MarksKey } from './marks.tsx'
import { appsAcross, overviewRows, totalsOf } from './overview.ts'
import { OverviewExport } from './overview-export.tsx'
import { PAIRS_AT_ONCE, pairsQuery } from './overview-queries.ts'
import { MANY, OverviewTable } from './overview-table.tsx'
import { OverviewTools } from './overview-tools.tsx'
import { everythingQuery } from './queries.ts'
import type { AccessSearch, AccessSearchChange } from './search.ts'

const route = getRouteApi('/shell/access')
const APPS_AT_ONCE = 8

/** Every person and machine against the environments of some apps, filtered in the address. */
export function AccessPage() {
  const viewer = useViewer()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const search: AccessSearch = route.useSearch()
  const [parts, setParts] = useState(1)
  const everything = useQuery(everythingQuery(viewer))
  const found = useMemo(() => {
    const apps = (everything.data ?? []).filter(({ id }) => search.app === undefined || id === search.app)
    return appsAcross(apps, search)
  }, [everything.data, search])
  const apps = useMemo(() => found.slice(0, search.apps ?? APPS_AT_ONCE), [found, search.apps])
  const reads = useQueries({
    queries: apps.map(({ id }) => pairsQuery(queryClient, id, search.role, parts)),
    combine: (results) => ({
      data: results.flatMap(({ data }) => data ?? []),
      error: results.find(({ error }) => error !== null)?.error ?? null,
      isPending: results.some(({ isPending }) => isPending),
    }),
  })
  const rows = useMemo(() => overviewRows(apps, reads.data, search), [apps, reads.data, search])
  const environments = apps.flatMap((app) => app.environments)
  const totals = useMemo(() => totalsOf(rows, environments.length), [rows, environments.length])
  const unread = reads.data.filter(({ nextCursor }) => nextCursor !== null).length
  const change = (next: AccessSearchChange) => {
    setParts(1)
    void navigate({
      to: '/access',
      search: (previous: AccessSearch) => withoutBlanks<AccessSearch>({ ...previous, ...next }),
      replace: true,
    })
  }
  const isLoading = everything.isPending || (reads.isPending && rows.length === 0)
  const error = everything.error ?? reads.error
  const hasApps = (everything.data ?? []).length > 0
  return (
    <>
      <PageHead title="Who can open what" text={<Summary apps={apps} rows={rows.length} totals={totals} />}>
        <OverviewExport search={search} everything={everything.data ?? []} />
      </PageHead>
      <OverviewTools
        search={search}
        apps={everything.data ?? []}
        shown={apps.length}
        total={found.length}
        onChange={change}
      />
      {error !== null && <Banner tone="remove">{messageOf(error)}</Banner>}
      {isLoading && error === null && <SkeletonTable columns={6} />}
      {!isLoading && rows.length === 0 && error === null && (
        <Empty
          title={hasApps ? 'Nobody fits' : 'There is no app yet'}
          act={
            hasApps && (
              <Button onClick={() => void navigate({ to: '/access', search: {} })}>Remove all filters</Button>
            )
          }
        >
          {!hasApps
            ? 'Who can open the environments of an app stands here.'
            : apps.length === 0
              ? 'There is no environment like this.'
              : `Nobody can open one of ${counted(environments.length, 'environment')} with these filters.`}
        </Empty>
      )}
      {rows.length > 0 && (
        <OverviewTable apps={apps} rows={rows} totals={totals} isWhole={unread === 0 && !reads.isPending} />
      )}
      <div className="row mt-3!">
        {rows.length > 0 && (
          <MarksKey>
            <span>
              <i className="hm hot" />
              More than {MANY} can open this Production
            </span>
          </MarksKey>
        )}
        <span className="push row">
          {unread > 0 && (
            <Button busy={reads.isPending} onClick={() => setParts(parts + 1)}>
              Read {PAIRS_AT_ONCE.toLocaleString()} more of {counted(unread, 'app')}
            </Button>
          )}
          {found.length > apps.length && (
            <Button busy={reads.isPending} onClick={() => change({ apps: apps.length + APPS_AT_ONCE })}>
              {showMore(found.length - apps.length)}
            </Button>
          )}
        </span>
      </div>
      <p className="dim small mt-3!">
        {unread > 0 && 'Of some apps not everything is read yet: a question mark stands where that is open. '}
        Whoever can open none of these is not listed.{' '}
        <Link to="/members" search={{ access: 'none' }}>
          Members who can open nothing
        </Link>
      </p>
    </>
  )
}

type SummaryProps = { apps: ReturnType<typeof appsAcross>; rows: number; totals: readonly number[] }

function Summary({ apps, rows, totals }: SummaryProps) {
  const columns = apps.flatMap((app) =>
    app.environments.map((environment) => ({ app: app.name, environment })),
  )
  const most = columns.reduce((best, column, at) => {
    if (column.environment.envType !== 'prod') return best
    return best === -1 || (totals[at] ?? 0) > (totals[best] ?? 0) ? at : best
  }, -1)
  const column = columns[most]
  return (
    <>
      People and machines against environments: who can open what, and why.
      {column !== undefined &&
        rows > 0 &&
        ` Of these ${rows}, ${totals[most]} can open ${column.environment.name} of ${column.app}.`}
    </>
  )
}

const showMore = (left: number): string =>
  left <= APPS_AT_ONCE ? `Show ${counted(left, 'more app')}` : `Show ${APPS_AT_ONCE} of ${left} more apps`
