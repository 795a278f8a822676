import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { can } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { DateTime, describe } from '../components/date-time.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { Badge } from '../components/pieces.tsx'
import { useToast } from '../components/toast.tsx'
import { useViewer } from '../shell/viewer.ts'
import { revokeToken, type Token } from './queries.ts'
import { endsSoon, FORMATS, isExpired } from './tokens.ts'

type TokensTableProps = { accountId: string; name: string; tokens: readonly Token[] }

/** The tokens of a service account, newest first: who made them, when they were last used, and when they end. */
export function TokensTable({ accountId, name, tokens }: TokensTableProps) {
  const [revoking, setRevoking] = useState<Token | null>(null)
  const mayRevoke = can(useViewer(), 'delete', 'ServiceAccountTokens')
  return (
    <>
      <table className="list">
        <caption className="vh">Tokens of {name}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            {['Format', 'Created by', 'Created'].map((head) => (
              <th key={head} scope="col" className="wide">
                {head}
              </th>
            ))}
            <th scope="col">Ends</th>
            <th scope="col" className="wide">
              Last used
            </th>
            {mayRevoke && <td />}
          </tr>
        </thead>
        <tbody>
          {tokens.toReversed().map((token) => (
            <tr key={token.id}>
              <th scope="row">{token.name}</th>
              <td className="wide">{FORMATS.find(({ value }) => value === token.format)?.short}</td>
              <td className="wide dim">{token.createdBy?.name ?? 'Not known'}</td>
              <td className="wide dim">
                <DateTime at={token.createdAt} />
              </td>
              <td>
                <End token={token} />
              </td>
              <td className="wide dim">
                <DateTime at={token.lastUsedAt} />
              </td>
              {mayRevoke && (
                <td className="r">
                  <Button
                    size="sm"
                    kind="danger-quiet"
                    aria-label={`Revoke ${token.name}`}
                    onClick={() => setRevoking(token)}
                  >
                    Revoke
                  </Button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      <RevokeDialog accountId={accountId} account={name} token={revoking} onClose={() => setRevoking(null)} />
    </>
  )
}

function End({ token }: { token: Token }) {
  if (isExpired(token)) return <Badge tone="remove">Expired</Badge>
  if (!endsSoon(token)) return <DateTime at={token.expiresAt} />
  return (
    <Badge tone="warn">
      <span className="capital">{describe(new Date(token.expiresAt ?? 0), new Date())}</span>
    </Badge>
  )
}

type RevokeDialogProps = { accountId: string; account: string; token: Token | null; onClose: () => void }

/** Asks before a token is revoked, and says what stops. */
function RevokeDialog({ accountId, account, token, onClose }: RevokeDialogProps) {
  const queryClient = useQueryClient()
  const toast = useToast()
  const [last, setLast] = useState(token)
  if (token !== null && token !== last) setLast(token)
  const confirm = async () => {
    if (token === null) return
    await revokeToken(accountId, token.id)
    await queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
    toast(`The token ${token.name} was revoked.`)
  }
  const used = last?.lastUsedAt ?? null
  return (
    <ConfirmDialog
      open={token !== null}
      onClose={onClose}
      title={`Revoke ${last?.name}?`}
      text={
        <p>
          Whatever uses it as {account} stops working at once, and it can’t be brought back.{' '}
          {used === null ? (
            'It was never used.'
          ) : (
            <>
              It was last used: <DateTime at={used} />.
            </>
          )}
        </p>
      }
      act={`Revoke ${last?.name}`}
      onConfirm={confirm}
    />
  )
}
