import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Navigate, useRouter } from '@tanstack/react-router'
import { Door } from '../shell/door.tsx'
import { methodsQuery } from './methods.ts'
import { SignInForm } from './sign-in-form.tsx'

const route = getRouteApi('/sign-in')

/** Signs in, and leads to where the reader was going. */
export function SignInPage() {
  const { next } = route.useSearch()
  const router = useRouter()
  const { data: methods } = useSuspenseQuery(methodsQuery)
  if (methods.setupRequired) return <Navigate to="/setup" replace />
  return (
    <Door title="Sign in">
      <SignInForm onSignedIn={() => router.history.push(next ?? '/')} />
    </Door>
  )
}
