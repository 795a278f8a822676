import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { messageOf } from '../api/errors.ts'
import { PageHead } from '../components/page-head.tsx'
import { Banner, SkeletonTable, Tag } from '../components/pieces.tsx'
import { EnvironmentSegments } from './environment-segments.tsx'
import { type History, historyQuery } from './history.ts'
import { openAppQuery, type SecretsApp } from './queries.ts'
import { VersionComparison } from './version-comparison.tsx'
import { VersionList } from './version-list.tsx'

/** The history of a secret in one environment: who changed what and when, with differences, and the way back. */
export function SecretPage() {
  const { appId, secretId } = useParams({ from: '/shell/apps/$appId/secrets/$secretId' })
  const { data: app, error } = useQuery(openAppQuery(appId))
  const history = useQuery({ ...historyQuery(secretId, app?.environments ?? []), enabled: app !== undefined })
  const problem = error ?? history.error
  if (problem !== null) {
    return (
      <>
        <PageHead title="History" />
        <Banner tone="remove">{messageOf(problem)}</Banner>
      </>
    )
  }
  if (app === undefined || history.data === undefined) {
    return (
      <>
        <PageHead title="History" />
        <SkeletonTable columns={3} />
      </>
    )
  }
  return <SecretHistory key={secretId} app={app} secretId={secretId} history={history.data} />
}

function SecretHistory({ app, secretId, history }: { app: SecretsApp; secretId: string; history: History }) {
  const { environment, versions } = history
  const [newest] = versions
  if (newest === undefined) return null
  const params = { appId: app.id }
  return (
    <>
      <PageHead
        title={newest.key}
        crumbs={[
          { label: 'Apps', to: '/apps' },
          { label: app.name, to: '/apps/$appId/secrets', params },
        ]}
        text={
          <>
            {environment.name} of {app.name}, path <code>{newest.path}</code>{' '}
            {newest.tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
            {newest.event === 'deleted' && ' Deleted: its versions are kept for up to 90 days.'}
          </>
        }
      >
        <EnvironmentSegments app={app} environment={environment} name={newest} />
      </PageHead>
      {newest.comment !== '' && <p className="history-comment">{newest.comment}</p>}
      <div className="history">
        <VersionList versions={versions} />
        <VersionComparison app={app} secretId={secretId} history={history} />
      </div>
    </>
  )
}
