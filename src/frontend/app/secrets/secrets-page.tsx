import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { isPassing, messageOf } from '../api/errors.ts'
import { canInApps } from '../api/me.ts'
import { useTitle } from '../components/page-head.tsx'
import { Banner, Empty, SkeletonTable } from '../components/pieces.tsx'
import { useViewer } from '../shell/viewer.ts'
import { openAppQuery, storeQuery } from './queries.ts'
import { SecretsView } from './secrets-view.tsx'

/** The secrets of an app: names down, environments across. */
export function SecretsPage() {
  const { appId } = useParams({ from: '/shell/apps/$appId/secrets' })
  const viewer = useViewer()
  const { data: app, error } = useQuery(openAppQuery(appId))
  const { data: store, error: storeError } = useQuery(storeQuery(app))
  useTitle(app === undefined ? 'Secrets' : `Secrets of ${app.name}`)
  if (!canInApps(viewer, 'read', 'Secrets')) {
    return (
      <Empty icon="lock" title="Your role doesn’t read secrets">
        The role {viewer.role.name} has no permission to read secrets. An Owner or Admin can give you another
        role.
      </Empty>
    )
  }
  const problem = error ?? storeError
  // What is being edited outlives a moment without the server.
  const isKept = isPassing(problem) && app !== undefined && store !== undefined
  if (problem !== null && !isKept) return <Banner tone="remove">{messageOf(problem)}</Banner>
  if (app === undefined || store === undefined) return <SkeletonTable columns={4} rows={8} />
  if (app.environments.length === 0) {
    return (
      <Empty icon="lock" title={`You can open no environment of ${app.name}`}>
        Whoever manages access can open one for you. Its secrets are shown here then.
      </Empty>
    )
  }
  return <SecretsView key={app.id} app={app} store={store} />
}
