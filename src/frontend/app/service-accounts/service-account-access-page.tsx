import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { AccessAside } from '../access/access-aside.tsx'
import { AccessEditor } from '../access/access-editor.tsx'
import { accessQuery, saveAccess } from '../access/queries.ts'
import { SkeletonTable } from '../components/pieces.tsx'
import { accountQuery } from './queries.ts'

const route = getRouteApi('/shell/service-accounts/$accountId/access')

/** What a service account can open, and what its role lets it do there. It never has global access. */
export function ServiceAccountAccessPage() {
  const { accountId } = route.useParams()
  const { data } = useQuery(accountQuery(accountId))
  if (data === undefined) return <SkeletonTable columns={5} />
  const { name, role } = data.data
  return (
    <div className="with-aside">
      <div>
        <AccessEditor
          key={accountId}
          kind="service_account"
          id={accountId}
          name={name}
          globalAccess={false}
          query={accessQuery('service_account', accountId)}
          save={saveAccess('service_account', accountId)}
        />
      </div>
      <AccessAside name={name} role={role} isGlobal={false} />
    </div>
  )
}
