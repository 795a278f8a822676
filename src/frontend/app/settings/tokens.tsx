import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { ownAccessQuery } from '../access/queries.ts'
import { answer, api } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { Empty } from '../components/pieces.tsx'
import { useViewer } from '../shell/viewer.ts'
import { IssuedTokenDialog } from '../tokens/issued-token.tsx'
import { useNewToken } from '../tokens/new-token.tsx'
import type { NewToken } from '../tokens/token.ts'
import { TokensTable } from '../tokens/tokens-table.tsx'
import { tokensQuery } from './queries.ts'
import { Section } from './section.tsx'

/** The reader's own tokens: made, shown once, revoked. */
export function Tokens() {
  const { data: tokens } = useSuspenseQuery(tokensQuery)
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey })
  const create = async (token: NewToken) => {
    const issued = await answer(api.v1.tokens.post(token))
    void refresh()
    return issued
  }
  const { form, begin, issued, onKept } = useNewToken(create, true)
  const { data: apps } = useQuery({ ...ownAccessQuery(useViewer()), enabled: issued !== null })
  return (
    <Section
      title="Your tokens"
      text="A token does what you may do. It ends with your membership."
      act={
        form === null && (
          <Button icon="plus" hint="N" onClick={begin}>
            New token
          </Button>
        )
      }
    >
      {form}
      {tokens.length === 0 ? (
        form === null && (
          <Empty title="You have no token" icon="key">
            With a token, the command line and your own programs do what you may do.
          </Empty>
        )
      ) : (
        <TokensTable
          caption="Your tokens"
          tokens={tokens}
          onRevoke={({ id }) => answer(api.v1.tokens({ id }).delete()).then(refresh)}
        />
      )}
      {issued !== null && <IssuedTokenDialog issued={issued} apps={apps} onKept={onKept} />}
    </Section>
  )
}
