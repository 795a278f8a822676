import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { isPassing, messageOf } from '../api/errors.ts'
import { PageHead } from '../components/page-head.tsx'
import { Banner, SkeletonTable, Tag } from '../components/pieces.tsx'
import { DetailsForm } from './details-form.tsx'
import { EnvironmentSegments } from './environment-segments.tsx'
import { GridContext } from './grid.ts'
import { type History, historyQuery } from './history.ts'
import { PendingChanges } from './pending-changes.tsx'
import { openAppQuery, type SecretsApp, storeQuery } from './queries.ts'
import { SecretActs } from './secret-acts.tsx'
import { rowOf } from './secret-rows.ts'
import { useGridState, useSecrets } from './use-grid.ts'
import { ValueEditor } from './value-editor.tsx'
import { VersionComparison } from './version-comparison.tsx'
import { VersionList } from './version-list.tsx'

/** The history of a secret in one environment: who changed what and when, with differences, and the way back. */
export function SecretPage() {
  const { appId, secretId } = useParams({ from: '/shell/apps/$appId/secrets/$secretId' })
  const { data: app, error } = useQuery(openAppQuery(appId))
  const history = useQuery({ ...historyQuery(secretId, app?.environments ?? []), enabled: app !== undefined })
  const problem = error ?? history.error
  // What is being edited outlives a moment without the server.
  const isKept = isPassing(problem) && app !== undefined && history.data !== undefined
  if (problem !== null && !isKept) {
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

/** What is edited here is collected, said and applied as in the grid. */
function SecretHistory({ app, secretId, history }: { app: SecretsApp; secretId: string; history: History }) {
  const { environment, versions } = history
  const { data: store } = useQuery(storeQuery(app))
  const { secrets } = useSecrets(app.id, app.environments, store)
  const [isInDetails, setInDetails] = useState(false)
  const { grid, rows, drafts } = useGridState(app, secrets, () => setInDetails(true))
  const [newest] = versions
  if (newest === undefined) return null
  const row = rowOf(rows, { ...newest, id: secretId, environment })
  const params = { appId: app.id }
  return (
    <GridContext value={grid}>
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
        {row !== undefined && (
          <>
            <EnvironmentSegments row={row} environment={environment} />
            <SecretActs row={row} environment={environment} />
          </>
        )}
      </PageHead>
      {newest.comment !== '' && <p className="history-comment">{newest.comment}</p>}
      {row !== undefined && grid.editing !== null && (
        <section className="panel" aria-labelledby="edit-value">
          <h2 id="edit-value">
            {row.key} in {environment.name}
          </h2>
          <ValueEditor row={row} environment={environment} />
        </section>
      )}
      {row !== undefined && isInDetails && <DetailsForm row={row} onClose={() => setInDetails(false)} />}
      <div className="history">
        <VersionList versions={versions} />
        <VersionComparison app={app} secretId={secretId} history={history} />
      </div>
      {drafts.size > 0 && store !== undefined && <PendingChanges app={app} store={store} grid={grid} />}
    </GridContext>
  )
}
