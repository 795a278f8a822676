import { useQuery } from '@tanstack/react-query'
import { accessQuery, ownAccessQuery } from '../access/queries.ts'
import { can } from '../api/me.ts'
import { useViewer } from '../shell/viewer.ts'
import { IssuedTokenDialog } from '../tokens/issued-token.tsx'
import type { IssuedToken } from '../tokens/token.ts'

type IssuedAccountTokenProps = { accountId: string; issued: IssuedToken; onKept: () => void }

/** Shows a new token of a service account, this once, with what it opens. */
export function IssuedAccountToken({ accountId, issued, onKept }: IssuedAccountTokenProps) {
  const viewer = useViewer()
  const mayRead = can(viewer, 'read', 'ServiceAccounts')
  const { data: access } = useQuery({ ...accessQuery('service_account', accountId), enabled: mayRead })
  const { data: own } = useQuery(ownAccessQuery(viewer))
  return <IssuedTokenDialog issued={issued} apps={access?.data.apps} examples={own} onKept={onKept} />
}
