import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router'
import { Door } from '../shell/door.tsx'
import { methodsQuery } from './methods.ts'
import { SignInForm } from './sign-in-form.tsx'

const route = getRouteApi('/sign-in')

/** Signs in, and leads to where the reader was going. The organisation is not named: strangers learn nothing of it. */
export function SignInPage() {
  const { next = '/' } = route.useSearch()
  const router = useRouter()
  const { data: methods } = useSuspenseQuery(methodsQuery)
  if (methods.setupRequired) return <Navigate to="/setup" replace />
  return (
    <Door title="Sign in">
      <SignInForm
        next={next}
        onSignedIn={() => {
          // The page that talks to the command line has a content policy of its own, which comes with its document.
          if (next.startsWith('/webauth/')) location.assign(next)
          else router.history.push(next)
        }}
      />
    </Door>
  )
}
