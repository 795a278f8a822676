import { useQueryErrorResetBoundary } from '@tanstack/react-query'
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useContext, useEffect } from 'react'
import { isStatus, messageOf } from '../api/errors.ts'
import { isFactorNeeded } from '../api/refusals.ts'
import { onSession } from '../api/session.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { Empty } from '../components/pieces.tsx'
import { Door } from './door.tsx'
import { ViewerContext } from './viewer.ts'

/** Stands in place of a page that could not be loaded: the API's sentence, and what to do. */
export function PageProblem({ error }: ErrorComponentProps) {
  const router = useRouter()
  const { reset } = useQueryErrorResetBoundary()
  useEffect(reset, [reset])
  if (isStatus(error, 401)) return <SignInFirst />
  // The reader is led to where a second factor is set up.
  if (isFactorNeeded(error)) return null
  const isRefusal = isStatus(error, 403)
  const isNowhere = isStatus(error, 404)
  return (
    <Empty
      icon={isRefusal ? 'lock' : 'warn'}
      title={
        isRefusal
          ? 'Your role doesn’t open this page'
          : isNowhere
            ? 'There is nothing here'
            : 'This page could not be loaded'
      }
      act={
        isRefusal || isNowhere ? (
          <ButtonLink to="/">Go home</ButtonLink>
        ) : (
          <Button kind="primary" onClick={() => router.invalidate()}>
            Try again
          </Button>
        )
      }
    >
      {messageOf(error)}
    </Empty>
  )
}

/**
 * Stands in place of a page whose session has ended. Beside the side bar a dialog asks to sign in, and the page is loaded
 * then; a page without it leads to the sign-in.
 */
function SignInFirst() {
  const router = useRouter()
  const isInside = useContext(ViewerContext) !== null
  useEffect(() => {
    if (isInside) return
    const { href } = router.latestLocation
    void router.navigate({ to: '/sign-in', search: { next: href }, replace: true })
  }, [router, isInside])
  useEffect(() => onSession((state) => state === 'started' && void router.invalidate()), [router])
  return null
}

/** Stands at an address that leads nowhere. */
export function NotFound() {
  return (
    <Door
      title="There is no page at this address"
      text="It may have been moved, or the thing it showed was deleted."
    >
      <div className="form">
        <ButtonLink to="/" kind="primary" size="lg">
          Go home
        </ButtonLink>
      </div>
    </Door>
  )
}
