import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus, messageOf } from '../api/errors.ts'
import { meQuery } from '../api/me.ts'
import { endSession } from '../api/session.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { ErrorText } from '../components/field.tsx'
import { Door } from '../shell/door.tsx'
import { forgetLinkToken, useLinkToken } from '../shell/link-token.ts'
import { methodsQuery } from '../sign-in/methods.ts'
import { Providers } from '../sign-in/providers.tsx'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import { DeadLink } from './dead-link.tsx'
import { NewAccountForm } from './new-account-form.tsx'

/** Leads into the organisation that invites: with a new account, or with one that is there. */
export function InvitePage() {
  const token = useLinkToken()
  // Counts the times that the reader has signed out here: each asks anew who is there.
  const [, setRound] = useState(0)
  const invite = useQuery({
    queryKey: ['invite', token],
    queryFn: () => answer(api.service.auth.invites.lookup.post({ token: token ?? '' })),
    enabled: token !== null,
    retry: false,
    gcTime: 0,
  })
  const reader = useQuery({ ...meQuery, retry: false, throwOnError: false, enabled: token !== null })
  if (token === null || isStatus(invite.error, 404)) {
    return (
      <DeadLink
        title="This invite can’t be used"
        text="It was accepted already, was cancelled, is older than 14 days, or its link is not whole. Open the link from the message again, or ask whoever invited you for a new one."
      />
    )
  }
  if (invite.error !== null) {
    return (
      <Door title="The invite could not be looked up">
        <div className="form">
          <ErrorText>{messageOf(invite.error)}</ErrorText>
          <Button kind="primary" size="lg" onClick={() => invite.refetch()}>
            Try again
          </Button>
        </div>
      </Door>
    )
  }
  if (invite.data === undefined || reader.isPending) return <Door title="Looking up the invite" />
  const { email, organisation } = invite.data
  return (
    <Door title={`Join ${organisation.name}`} text={<InvitedAs email={email} />}>
      {reader.data?.email ? (
        <Accept
          token={token}
          invited={email}
          reader={reader.data.email}
          organisation={organisation.name}
          onLeft={() => setRound((round) => round + 1)}
        />
      ) : (
        <ComeIn token={token} email={email} organisation={organisation.name} />
      )}
    </Door>
  )
}

const InvitedAs = ({ email }: { email: string }) => (
  <>
    The invite is for <b className="wrap-anywhere">{email}</b>.
  </>
)

type InviteProps = { token: string; email: string; organisation: string }

/** For readers who are not signed in: a new account, or the one that they have. */
function ComeIn({ token, email, organisation }: InviteProps) {
  const { data: methods } = useSuspenseQuery(methodsQuery)
  const [hasAccount, setHasAccount] = useState(!methods.password)
  const join = useJoin(token)
  if (hasAccount) {
    return (
      <>
        <SignInForm email={email} invite={token} next="/" onSignedIn={() => void join.run()} />
        {join.problem !== null && <ErrorText>{join.problem}</ErrorText>}
        {methods.password && (
          <div className="form mt-2!">
            <Button kind="quiet" onClick={() => setHasAccount(false)}>
              I have no account here yet
            </Button>
          </div>
        )}
      </>
    )
  }
  return (
    <>
      <NewAccountForm token={token} email={email} organisation={organisation} onJoined={join.enter} />
      <div className="form mt-2!">
        <Button kind="quiet" onClick={() => setHasAccount(true)}>
          I have an account here already
        </Button>
        {methods.providers.length > 0 && <p className="or">or</p>}
        <Providers next="/" invite={token} />
      </div>
    </>
  )
}

type AcceptProps = {
  token: string
  invited: string
  reader: string
  organisation: string
  onLeft: () => void
}

/** For readers who are signed in: as the one who is invited, or as somebody else. */
function Accept({ token, invited, reader, organisation, onLeft }: AcceptProps) {
  const join = useJoin(token)
  const { busy, problem, run } = useAct()
  const queryClient = useQueryClient()
  const isOther = invited.toLowerCase() !== reader.toLowerCase()
  const signOut = async () => {
    await endSession()
    queryClient.clear()
    onLeft()
  }
  return (
    <div className="form">
      <p>
        You are signed in as <b className="wrap-anywhere">{reader}</b>
        {isOther ? ', which is another account. Sign out, then go on as the one who is invited.' : '.'}
      </p>
      {(join.problem ?? problem) !== null && <ErrorText>{join.problem ?? problem}</ErrorText>}
      {!isOther && (
        <Button kind="primary" size="lg" busy={join.busy} onClick={() => join.run()}>
          Join {organisation}
        </Button>
      )}
      <Button size="lg" kind={isOther ? 'primary' : 'plain'} busy={busy} onClick={() => run(signOut)}>
        Sign out
      </Button>
    </div>
  )
}

/** Accepts the invite as whoever is signed in, and leads to the first page. */
function useJoin(token: string) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const { busy, problem, run } = useAct()
  const enter = async () => {
    queryClient.clear()
    await navigate({ to: '/' })
    forgetLinkToken()
  }
  const accept = async () => {
    await answer(api.service.auth.invites.accept.post({ token }))
    await enter()
  }
  const fail = (): boolean => {
    void queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
    return false
  }
  return { busy, problem, enter, run: () => run(accept, fail) }
}
