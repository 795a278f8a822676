import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { refusalBy } from '../../../core/policy.ts'
import { createToken as createTokenPolicy } from '../../../core/service-accounts/policy.ts'
import { accessQuery } from '../access/queries.ts'
import { asRoleHolder, can, kindOf } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { Empty, SkeletonTable } from '../components/pieces.tsx'
import { rolesQuery } from '../roles/role-options.tsx'
import { PageProblem } from '../shell/problems.tsx'
import { useViewer } from '../shell/viewer.ts'
import { useNewToken } from '../tokens/new-token.tsx'
import { summaryOf } from '../tokens/places.ts'
import type { NewToken } from '../tokens/token.ts'
import { TokensTable } from '../tokens/tokens-table.tsx'
import { IssuedAccountToken } from './issued-account-token.tsx'
import { type Account, accountQuery, createToken, revokeToken, tokensQuery } from './queries.ts'

const route = getRouteApi('/shell/service-accounts/$accountId/tokens')

/** The tokens of a service account: made, shown once, and revoked. */
export function ServiceAccountTokensPage() {
  const { accountId } = route.useParams()
  const queryClient = useQueryClient()
  const { data: account } = useQuery(accountQuery(accountId))
  const { data: tokens, error } = useQuery(tokensQuery(accountId))
  const viewer = useViewer()
  const refusal = useTokenRefusal(account?.data)
  const mayCreate = can(viewer, 'create', 'ServiceAccountTokens')
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
  const create = async (token: NewToken) => {
    const issued = await createToken(accountId, token)
    void refresh()
    return issued
  }
  const { form, begin, issued, onKept } = useNewToken(create, mayCreate && refusal === null)
  if (error !== null && tokens === undefined) return <PageProblem error={error} reset={() => {}} />
  if (account === undefined || tokens === undefined) return <SkeletonTable columns={6} />
  const { name } = account.data
  const make = mayCreate && form === null && (
    <Button kind="primary" icon="plus" hint="N" className="push" disabledBecause={refusal} onClick={begin}>
      New token
    </Button>
  )
  return (
    <div className="with-aside">
      <div>
        <div className="tools">
          <Opens accountId={accountId} />
          {tokens.length > 0 && make}
        </div>
        {form}
        {tokens.length > 0 ? (
          <TokensTable
            caption={`Tokens of ${name}`}
            tokens={tokens}
            account={name}
            mayRevoke={can(viewer, 'delete', 'ServiceAccountTokens')}
            onRevoke={({ id }) => revokeToken(accountId, id).then(refresh)}
          />
        ) : (
          form === null && (
            <Empty title="No tokens" icon="key" act={make}>
              Nothing can act as {name} without one.
            </Empty>
          )
        )}
      </div>
      <AboutTokens />
      {issued !== null && <IssuedAccountToken accountId={accountId} issued={issued} onKept={onKept} />}
    </div>
  )
}

/** Why the viewer can't make a token of this service account, as far as the console can tell; null where it may. */
function useTokenRefusal(account: Account | undefined): string | null {
  const viewer = useViewer()
  const { data: roles } = useQuery({ ...rolesQuery, enabled: can(viewer, 'read', 'Roles') })
  const role = roles?.find(({ id }) => id === account?.role.id)
  if (role === undefined || !role.isDefault) return null
  const facts = {
    actor: asRoleHolder(viewer),
    role: { kind: kindOf(role), permissions: null },
    canAccessMore: false,
  }
  return refusalBy(createTokenPolicy, facts)?.message ?? null
}

function Opens({ accountId }: { accountId: string }) {
  const { data } = useQuery(accessQuery('service_account', accountId))
  return (
    <p className="dim">
      Whoever holds a token is this service account
      {data === undefined ? '.' : <>: it opens {summaryOf(data.data.apps)}.</>}
    </p>
  )
}

const AboutTokens = () => (
  <aside className="aside" aria-label="About tokens">
    <h2>Two tokens at once</h2>
    <p>
      To replace a token without a gap, make the new one, put it in place, watch “last used” of the old one
      stop, then revoke it.
    </p>
    <h2>What a token keeps</h2>
    <p>A token gains what this account gains later, also in the hands of whoever made it.</p>
  </aside>
)
