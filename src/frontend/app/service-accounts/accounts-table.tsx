import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { can } from '../api/me.ts'
import { DateTime } from '../components/date-time.tsx'
import { SortHead } from '../components/filters.tsx'
import { Avatar, RoleName } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { counted } from '../components/words.ts'
import { rolesQuery } from '../roles/role-options.tsx'
import { useViewer } from '../shell/viewer.ts'
import type { AccountSort } from './search.ts'

type Listed = {
  id: string
  name: string
  role: { id: string; name: string }
  accessibleEnvironments: number
  tokenCount?: number
  lastUsedAt?: string | null
  createdAt: string
}
type AccountsTableProps = { rows: readonly Listed[]; sort: string; onSort: (sort: AccountSort) => void }

/** The list of service accounts. What their tokens tell is left out where the viewer may not read tokens. */
export function AccountsTable({ rows, sort, onSort }: AccountsTableProps) {
  const viewer = useViewer()
  const readsTokens = can(viewer, 'read', 'ServiceAccountTokens')
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: can(viewer, 'read', 'Roles') })
  const order = { sort, onSort: onSort as (sort: string) => void }
  return (
    <table className="list">
      <caption className="vh">Service accounts</caption>
      <thead>
        <tr>
          <SortHead label="Name" field="name" {...order} />
          <SortHead label="Role" field="role" className="wide" {...order} />
          {readsTokens && (
            <>
              <Head right wide>
                Tokens
              </Head>
              <Head wide>Last used</Head>
            </>
          )}
          <Head right>Can open</Head>
          <SortHead label="Created" field="created_at" className="wide mid" {...order} />
        </tr>
      </thead>
      <tbody>
        {rows.map((account) => (
          <tr key={account.id}>
            <th scope="row">
              <Link
                to="/service-accounts/$accountId/tokens"
                params={{ accountId: account.id }}
                className="who plain"
              >
                <Avatar name={account.name} machine />
                <span>{account.name}</span>
              </Link>
            </th>
            <td className="wide">
              <RoleName
                name={account.role.name}
                color={roles.find(({ id }) => id === account.role.id)?.color ?? ''}
              />
            </td>
            {readsTokens && (
              <>
                <td className="r num wide">{account.tokenCount}</td>
                <td className="wide dim">
                  <DateTime at={account.lastUsedAt} />
                </td>
              </>
            )}
            <td className="r num">
              <CanOpen account={account} />
            </td>
            <td className="wide mid dim">
              <DateTime at={account.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function CanOpen({ account }: { account: Listed }) {
  const { accessibleEnvironments: count } = account
  return (
    <Link
      to="/service-accounts/$accountId/access"
      params={{ accountId: account.id }}
      className={count === 0 ? 'faint' : ''}
    >
      {count === 0 ? 'nothing yet' : counted(count, 'environment')}
    </Link>
  )
}
