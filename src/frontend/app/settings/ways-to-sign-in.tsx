import { useSuspenseQuery } from '@tanstack/react-query'
import { useViewer } from '../shell/viewer.ts'
import { methodsQuery } from '../sign-in/methods.ts'
import { useRecentSignIn } from '../sign-in/recent-sign-in.tsx'
import { Factors } from './factors.tsx'
import { LinkedSignIns } from './linked-sign-ins.tsx'
import { identitiesQuery } from './queries.ts'

/** How the reader signs in, besides the password: passkeys, the authenticator app, recovery codes, linked accounts. */
export function WaysToSignIn() {
  const { email } = useViewer()
  const { data: methods } = useSuspenseQuery(methodsQuery)
  const { data: identities } = useSuspenseQuery(identitiesQuery)
  const { recently, dialog } = useRecentSignIn(email ?? '')
  return (
    <>
      <Factors recently={recently} />
      {(methods.providers.length > 0 || identities.length > 0) && (
        <LinkedSignIns providers={methods.providers} identities={identities} recently={recently} />
      )}
      {dialog}
    </>
  )
}
