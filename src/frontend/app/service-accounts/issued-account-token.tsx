import { useQuery } from '@tanstack/react-query'
import { accessQuery } from '../access/queries.ts'
import { can } from '../api/me.ts'
import { useViewer } from '../shell/viewer.ts'
import { IssuedTokenDialog } from '../tokens/issued-token.tsx'
import type { IssuedToken } from '../tokens/token.ts'

type IssuedAccountTokenProps = { accountId: string; issued: IssuedToken; onKept: () => void }

/** Shows a new token of a service account, this once, with what it opens. */
export function IssuedAccountToken({ accountId, issued, onKept }: IssuedAccountTokenProps) {
  const mayRead = can(useViewer(), 'read', 'ServiceAccounts')
  const { data: access } = useQuery({ ...accessQuery('service_account', accountId), enabled: mayRead })
  return <IssuedTokenDialog issued={issued} apps={access?.data.apps} onKept={onKept} />
}
