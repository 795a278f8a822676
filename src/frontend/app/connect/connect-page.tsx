import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { isStatus, messageOf } from '../api/errors.ts'
import { meQuery } from '../api/me.ts'
import { holdPage } from '../api/session.ts'
import { useAct } from '../components/act.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { ErrorText } from '../components/field.tsx'
import { Door } from '../shell/door.tsx'
import { pathAtStart } from '../shell/link-token.ts'
import { NoOrganisation } from '../shell/no-organisation.tsx'
import { connect, type Outcome } from './connect.ts'
import { type ConnectRequest, readConnectRequest } from './request.ts'

/** Hands a token to a command line of this computer that opened the page, after a click. */
export function ConnectPage() {
  // The base64 may hold two slashes, or end with one. This page is always the first of its document.
  const request = readConnectRequest(pathAtStart)
  const me = useQuery({ ...meQuery, retry: false })
  if (request === null) {
    return (
      <Door
        title="This address connects nothing"
        text="It is not whole, or not of a command line. Run its sign-in again, and open the address that it prints."
      >
        <div className="form">
          <ButtonLink to="/" size="lg" reloadDocument>
            Go home
          </ButtonLink>
        </div>
      </Door>
    )
  }
  if (isStatus(me.error, 401)) return <Navigate to="/sign-in" search={{ next: pathAtStart }} replace />
  if (me.error !== null) {
    return (
      <Door title="Connect the command line">
        <div className="form">
          <ErrorText>{messageOf(me.error)}</ErrorText>
        </div>
      </Door>
    )
  }
  if (me.data === undefined) return <Door title="Connect the command line" />
  if (me.data.role === null) return <NoOrganisation email={me.data.email ?? ''} />
  const { email, organisation, userId } = me.data
  return (
    <Connect request={request} userId={userId} email={email ?? ''} organisation={organisation?.name ?? ''} />
  )
}

type ConnectProps = { request: ConnectRequest; userId: string | null; email: string; organisation: string }

function Connect({ request, userId, email, organisation }: ConnectProps) {
  // Otherwise the token would be of whoever has signed in in another tab meanwhile.
  useEffect(() => holdPage(userId), [userId])
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const { busy, problem, run } = useAct()
  const start = () => run(async () => setOutcome(await connect(request, email)))
  if (outcome === 'connected') {
    return (
      <Door
        title="The command line is connected"
        text={`It does what you may do, with the token “${request.name}”. You can close this page, and revoke the token in the settings.`}
      >
        <div className="form">
          <ButtonLink to="/settings/$section" params={{ section: 'tokens' }} size="lg" reloadDocument>
            Your tokens
          </ButtonLink>
        </div>
      </Door>
    )
  }
  return (
    <Door
      title="Connect the command line"
      text={
        <>
          A command line of this computer asks for a token of yours:{' '}
          <b className="wrap-anywhere">{request.name}</b>.
        </>
      }
    >
      <div className="form">
        <dl className="pair">
          <dt>As</dt>
          <dd className="wrap-anywhere">{email}</dd>
          <dt>In</dt>
          <dd>{organisation}</dd>
          <dt>It listens on</dt>
          <dd className="mono">127.0.0.1:{request.port}</dd>
        </dl>
        <p className="dim">
          With the token it does what you may do, until you revoke it. Go on only if you have just started a
          sign-in on a command line of this computer.
        </p>
        {outcome === 'unanswered' && (
          <ErrorText>
            The command line did not answer, so the token is revoked. It waits for five minutes: if it still
            does, try again, and allow this page to reach programs of this computer where the browser asks.
          </ErrorText>
        )}
        {problem !== null && <ErrorText>{problem}</ErrorText>}
        <Button kind="primary" size="lg" busy={busy} onClick={start}>
          {outcome === null ? 'Connect it' : 'Try again'}
        </Button>
        <ButtonLink to="/" size="lg" reloadDocument>
          Don’t connect
        </ButtonLink>
      </div>
    </Door>
  )
}
