import { useQuery } from '@tanstack/react-query'
import { Outlet, useMatch, useParams } from '@tanstack/react-router'
import { PageHead } from '../components/page-head.tsx'
import { appQuery } from '../secrets/queries.ts'

export function AppPage() {
  const { appId } = useParams({ from: '/shell/apps/$appId' })
  const { data } = useQuery(appQuery(appId))
  const isSecret = useMatch({ from: '/shell/apps/$appId/secrets/$secretId', shouldThrow: false }) !== undefined
  if (isSecret) return <Outlet />
  return (
    <>
      <PageHead title={data?.name ?? ''}>
        <div className="row" id="app-acts" />
      </PageHead>
      <Outlet />
    </>
  )
}
