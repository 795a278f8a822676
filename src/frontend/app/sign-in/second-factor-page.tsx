import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { readAnew } from '../api/latest.ts'
import { meQuery } from '../api/me.ts'
import { holdPage, leave, onSession } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { Factors } from '../settings/factors.tsx'
import { factorsQuery } from '../settings/queries.ts'
import { Door } from '../shell/door.tsx'
import { useRecentSignIn } from './recent-sign-in.tsx'

const route = getRouteApi('/sign-in/second-factor')

/** Sets up the second factor that the deployment requires; until there is one, nothing else can be done. */
export function SecondFactorPage() {
  const { next = '/' } = route.useSearch()
  const router = useRouter()
  const queryClient = useQueryClient()
  // Who lacks a required factor gets a bearer at the sign-in alone: after a reload nobody knows whose page this is.
  const { data: me } = useQuery({ ...meQuery, retry: false, throwOnError: false })
  useEffect(() => {
    if (me !== undefined) holdPage(me.userId)
  }, [me])
  useEffect(
    () => onSession((state) => state === 'started' && void queryClient.invalidateQueries()),
    [queryClient],
  )
  const { recently, dialog } = useRecentSignIn(me?.email ?? '')
  const { data: factors } = useSuspenseQuery(factorsQuery)
  const goOn = async () => {
    const { required } = await readAnew(queryClient, factorsQuery)
    if (required) return
    await queryClient.invalidateQueries()
    router.history.push(next)
  }
  const signOut = async () => {
    await leave()
    await router.navigate({ to: '/sign-in' })
  }
  return (
    <Door
      wide
      title="Set up a second factor"
      text="This deployment requires one beside your password. Set up a passkey or an authenticator app, then go on."
    >
      <div className="mt-8">
        <Factors recently={recently} onComplete={goOn} />
      </div>
      <div className="row">
        {!factors.required && (
          <Button kind="primary" onClick={goOn}>
            Go on
          </Button>
        )}
        <Button kind="quiet" onClick={signOut}>
          Sign out
        </Button>
      </div>
      {dialog}
    </Door>
  )
}
