import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { DateTime, describe } from '../components/date-time.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { Badge } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { useToast } from '../components/toast.tsx'
import { endsSoon, isExpired } from './expiry.ts'
import { FORMATS, type Token } from './token.ts'

type TokensTableProps = {
  caption: string
  tokens: readonly Token[]
  /** The service account that the tokens belong to; the reader's own tokens have none. */
  account?: string
  mayRevoke?: boolean
  onRevoke: (token: Token) => Promise<unknown>
}

/** Tokens, newest first: who made them, when they were last used, and when they end. */
export function TokensTable({ caption, tokens, account, mayRevoke = true, onRevoke }: TokensTableProps) {
  const [revoking, setRevoking] = useState<Token | null>(null)
  const heads = ['Format', ...(account === undefined ? [] : ['Created by']), 'Created']
  return (
    <>
      <table className="list">
        <caption className="vh">{caption}</caption>
        <thead>
          <tr>
            <Head>Name</Head>
            {heads.map((head) => (
              <Head key={head} wide>
                {head}
              </Head>
            ))}
            <Head>Ends</Head>
            <Head wide>Last used</Head>
            {mayRevoke && <td />}
          </tr>
        </thead>
        <tbody>
          {newestFirst(tokens).map((token) => (
            <tr key={token.id}>
              <th scope="row" className="wrap-anywhere">
                {token.name}
              </th>
              <td className="wide">{FORMATS.find(({ value }) => value === token.format)?.short}</td>
              {account !== undefined && <td className="wide dim">{token.createdBy?.name ?? 'Not known'}</td>}
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
      <RevokeDialog
        account={account}
        token={revoking}
        onRevoke={onRevoke}
        onClose={() => setRevoking(null)}
      />
    </>
  )
}

const newestFirst = (tokens: readonly Token[]): Token[] =>
  tokens.toSorted((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt))

function End({ token }: { token: Token }) {
  if (isExpired(token)) return <Badge tone="remove">Expired</Badge>
  if (!endsSoon(token)) return <DateTime at={token.expiresAt} />
  return (
    <Badge tone="warn">
      <span className="capital">{describe(new Date(token.expiresAt ?? 0), new Date())}</span>
    </Badge>
  )
}

type RevokeDialogProps = {
  account: string | undefined
  token: Token | null
  onRevoke: (token: Token) => Promise<unknown>
  onClose: () => void
}

/** Asks before a token is revoked, and says what stops. */
function RevokeDialog({ account, token, onRevoke, onClose }: RevokeDialogProps) {
  const toast = useToast()
  const [last, setLast] = useState(token)
  if (token !== null && token !== last) setLast(token)
  const confirm = async () => {
    if (token === null) return
    await onRevoke(token)
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
          Whatever uses it{account !== undefined && ` as ${account}`} stops working at once, and it can’t be
          brought back.{' '}
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
