import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { ErrorText } from '../components/field.tsx'
import { Badge } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { useToast } from '../components/toast.tsx'
import { browserOf } from '../components/user-agent.ts'
import { sessionsQuery } from './queries.ts'
import { Section } from './section.tsx'

/** Where the reader is signed in, with this browser marked. */
export function Sessions() {
  const { data } = useSuspenseQuery(sessionsQuery)
  const queryClient = useQueryClient()
  const toast = useToast()
  const { busy, problem, run } = useAct()
  const sessions = data.toSorted((one, other) => Number(other.current) - Number(one.current))
  const others = data.filter(({ current }) => !current)
  const end = (ids: readonly string[], sentence: string) =>
    run(async () => {
      try {
        for (const id of ids) await answer(api.service.auth.sessions({ id }).delete())
        toast(sentence)
      } finally {
        await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      }
    })
  return (
    <Section
      title="Sessions"
      text="A session ends after seven days without use, and after 30 days in any case."
      act={
        others.length > 0 && (
          <Button
            busy={busy}
            onClick={() =>
              end(
                others.map(({ id }) => id),
                'Your other sessions have ended.',
              )
            }
          >
            End all others
          </Button>
        )
      }
    >
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      <table className="list">
        <caption className="vh">Your sessions</caption>
        <thead>
          <tr>
            <Head>Where</Head>
            <Head wide>Address</Head>
            <Head wide>Signed in</Head>
            <Head>Last seen</Head>
            <td />
          </tr>
        </thead>
        <tbody>
          {sessions.map(({ id, current, ipAddress, userAgent, createdAt, lastUsedAt }) => (
            <tr key={id}>
              <th scope="row">
                {browserOf(userAgent)} {current && <Badge tone="add">this one</Badge>}
              </th>
              <td className="wide mono">{ipAddress ?? '–'}</td>
              <td className="wide dim">
                <DateTime at={createdAt} />
              </td>
              <td className="dim">{current ? 'Now' : <DateTime at={lastUsedAt} />}</td>
              <td className="r">
                {!current && (
                  <Button
                    size="sm"
                    busy={busy}
                    aria-label={`End the session ${browserOf(userAgent)}`}
                    onClick={() => end([id], `The session ${browserOf(userAgent)} has ended.`)}
                  >
                    End
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  )
}
