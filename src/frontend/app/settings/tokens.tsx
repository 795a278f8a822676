import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { Badge, Empty } from '../components/pieces.tsx'
import { useToast } from '../components/toast.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { IssuedToken } from '../tokens/issued-token.tsx'
import { FORMATS, type NewToken, TokenForm } from '../tokens/token-form.tsx'
import { tokensQuery } from './queries.ts'
import { Section } from './section.tsx'

type Token = Awaited<ReturnType<NonNullable<typeof tokensQuery.queryFn>>>[number]
type Issued = Parameters<typeof IssuedToken>[0]['issued']

const WEEK_MS = 7 * 24 * 3600 * 1000

/** The reader's own tokens: made, shown once, revoked. */
export function Tokens() {
  const { data: tokens } = useSuspenseQuery(tokensQuery)
  const queryClient = useQueryClient()
  const toast = useToast()
  const [isMaking, setMaking] = useState(false)
  const [issued, setIssued] = useState<Issued | null>(null)
  const [revoked, setRevoked] = useState<Token | null>(null)
  useShortcut('n', () => setMaking(true))
  const refresh = () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey })
  const create = async (token: NewToken) => {
    setIssued(await answer(api.v1.tokens.post(token)))
    setMaking(false)
    await refresh()
  }
  const revoke = async ({ id, name }: Token) => {
    await answer(api.v1.tokens({ id }).delete())
    toast(`“${name}” is revoked.`)
    await refresh()
  }
  return (
    <Section
      title="Your tokens"
      text="A token does what you may do. It ends with your membership."
      act={
        !isMaking && (
          <Button icon="plus" hint="N" onClick={() => setMaking(true)}>
            New token
          </Button>
        )
      }
    >
      {isMaking && <TokenForm onCreate={create} onCancel={() => setMaking(false)} />}
      {tokens.length === 0 ? (
        !isMaking && (
          <Empty title="You have no token" icon="key">
            With a token, the command line and your own programs do what you may do.
          </Empty>
        )
      ) : (
        <TokenTable tokens={tokens} onRevoke={setRevoked} />
      )}
      {issued !== null && <IssuedToken issued={issued} onDone={() => setIssued(null)} />}
      <ConfirmDialog
        open={revoked !== null}
        onClose={() => setRevoked(null)}
        title={`Revoke “${revoked?.name}”?`}
        text="Whatever uses it is refused from the next request on. A revoked token can’t be brought back."
        act="Revoke"
        onConfirm={async () => revoked !== null && (await revoke(revoked))}
      />
    </Section>
  )
}

function TokenTable({ tokens, onRevoke }: { tokens: readonly Token[]; onRevoke: (token: Token) => void }) {
  return (
    <table className="list">
      <caption className="vh">Your tokens</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" className="wide">
            Format
          </th>
          <th scope="col">Ends</th>
          <th scope="col" className="wide">
            Last used
          </th>
          <th scope="col" className="wide">
            Made
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <th scope="row" className="wrap-anywhere">
              {token.name}
            </th>
            <td className="wide">{FORMATS[token.format].short}</td>
            <td>
              <Ends at={token.expiresAt} />
            </td>
            <td className="wide dim">
              <DateTime at={token.lastUsedAt} />
            </td>
            <td className="wide dim">
              <DateTime at={token.createdAt} />
            </td>
            <td className="r">
              <Button
                size="sm"
                kind="danger-quiet"
                aria-label={`Revoke ${token.name}`}
                onClick={() => onRevoke(token)}
              >
                Revoke
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** When a token ends; what ends within a week asks for a look. */
function Ends({ at }: { at: string | null }) {
  const left = at === null ? Number.POSITIVE_INFINITY : Date.parse(at) - Date.now()
  if (left <= 0) return <Badge tone="remove">Ended</Badge>
  const time = <DateTime at={at} />
  return left < WEEK_MS ? <Badge tone="warn">{time}</Badge> : time
}
