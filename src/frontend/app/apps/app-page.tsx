import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet, useMatches } from '@tanstack/react-router'
import { can, canInApps } from '../api/me.ts'
import { PageHead, Tabs } from '../components/page-head.tsx'
import { useViewer } from '../shell/viewer.ts'
import { appQuery } from './queries.ts'

const route = getRouteApi('/shell/apps/$appId')

/** The head of an app with its parts; a page about one secret has a head of its own. */
export function AppPage() {
  const viewer = useViewer()
  const { appId } = route.useParams()
  const { data: app } = useSuspenseQuery(appQuery(appId))
  const hasOwnHead = useMatches({
    select: (matches) => matches.some(({ routeId }) => routeId.includes('$secretId')),
  })
  if (hasOwnHead) return <Outlet />
  const params = { appId }
  const parts = [
    canInApps(viewer, 'read', 'Secrets') && { label: 'Secrets', to: '/apps/$appId/secrets', params },
    {
      label: 'Environments',
      to: '/apps/$appId/environments',
      params,
      count: app.data.environments.length,
    },
    can(viewer, 'read', 'Members') && { label: 'Who can open it', to: '/apps/$appId/access', params },
    can(viewer, 'read', 'Logs') && { label: 'Activity', to: '/apps/$appId/activity', params },
    (can(viewer, 'update', 'Apps') || can(viewer, 'delete', 'Apps')) && {
      label: 'Settings',
      to: '/apps/$appId/settings',
      params,
    },
  ] as const
  return (
    <>
      <PageHead
        title={app.data.name}
        text={app.data.description ?? undefined}
        crumbs={[{ label: 'Apps', to: '/apps' }]}
      >
        <div id="app-acts" className="row" />
      </PageHead>
      <Tabs label={app.data.name} tabs={parts} />
      <Outlet />
    </>
  )
}

/** The app whose page is open. */
export function useApp() {
  const { appId } = route.useParams()
  return useQuery(appQuery(appId))
}
