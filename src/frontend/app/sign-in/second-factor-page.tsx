import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { readAnew } from '../api/latest.ts'
import { leave } from '../api/session.ts'
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
  const { recently, dialog } = useRecentSignIn('')
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
