import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Outlet } from '@tanstack/react-router'
import { useState } from 'react'
import { can } from '../api/me.ts'
import { exactDay } from '../components/date-time.tsx'
import { MoreMenu } from '../components/menu.tsx'
import { PageHead, Tabs } from '../components/page-head.tsx'
import { Avatar, RoleName, SkeletonTable } from '../components/pieces.tsx'
import { PageProblem } from '../shell/problems.tsx'
import { useViewer } from '../shell/viewer.ts'
import { AccountRole } from './account-role.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { type Account, accountQuery } from './queries.ts'
import { RenameForm } from './rename-form.tsx'

const route = getRouteApi('/shell/service-accounts/$accountId')

/** A service account: its name and role, and below the part of it that the address names. */
export function ServiceAccountPage() {
  const { accountId } = route.useParams()
  const { data, error } = useQuery(accountQuery(accountId))
  if (error !== null && data === undefined) return <PageProblem error={error} reset={() => {}} />
  if (data === undefined) return <SkeletonTable />
  return <AccountHead key={accountId} account={data.data} etag={data.etag} />
}

function AccountHead({ account, etag }: { account: Account; etag: string }) {
  const viewer = useViewer()
  const [asked, setAsked] = useState<'rename' | 'delete' | null>(null)
  const params = { accountId: account.id }
  const mayUpdate = can(viewer, 'update', 'ServiceAccounts')
  const mayDelete = can(viewer, 'delete', 'ServiceAccounts')
  return (
    <>
      <PageHead
        title={account.name}
        crumbs={[{ label: 'Service accounts', to: '/service-accounts' }]}
        mark={<Avatar name={account.name} machine large />}
        text={`Service account, created on ${exactDay(account.createdAt)}`}
      >
        <span className="dim">Role</span>
        {mayUpdate && can(viewer, 'read', 'Roles') ? (
          <AccountRole account={account} />
        ) : (
          <RoleName name={account.role.name} />
        )}
        {(mayUpdate || mayDelete) && (
          <MoreMenu
            label={`More for ${account.name}`}
            entries={[
              mayUpdate && { label: 'Rename', icon: 'pencil', onClick: () => setAsked('rename') },
              mayDelete && {
                label: 'Delete…',
                icon: 'trash',
                danger: true,
                onClick: () => setAsked('delete'),
              },
            ]}
          />
        )}
      </PageHead>
      {asked === 'rename' && <RenameForm account={account} etag={etag} onDone={() => setAsked(null)} />}
      <DeleteAccount account={account} etag={etag} open={asked === 'delete'} onClose={() => setAsked(null)} />
      <Tabs
        label={account.name}
        tabs={[
          can(viewer, 'read', 'ServiceAccountTokens') && {
            label: 'Tokens',
            to: '/service-accounts/$accountId/tokens',
            params,
            count: account.tokens?.length,
          },
          { label: 'Access', to: '/service-accounts/$accountId/access', params },
          can(viewer, 'read', 'Logs') && {
            label: 'Activity',
            to: '/service-accounts/$accountId/activity',
            params,
          },
        ]}
      />
      <Outlet />
    </>
  )
}
