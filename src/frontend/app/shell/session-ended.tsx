import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { meQuery } from '../api/me.ts'
import { onSession } from '../api/session.ts'

const loadDialog = () => import('./sign-in-again.tsx').then(({ SignInAgain }) => ({ default: SignInAgain }))
const SignInAgain = lazy(loadDialog)

/** Asks to sign in anew where the session ended, over the page: it keeps its place and what was typed there. */
export function SessionEnded({ email, userId }: { email: string; userId: string | null }) {
  const [hasEnded, setEnded] = useState(false)
  const queryClient = useQueryClient()
  useEffect(() => {
    // Loaded ahead: when a session has ended, the server may be one that has other files.
    const timer = setTimeout(() => void loadDialog().catch(() => {}), 3_000)
    return () => clearTimeout(timer)
  }, [])
  useEffect(
    () =>
      onSession(async (state) => {
        if (state === 'left') return location.assign('/sign-in')
        if (state === 'ended') return setEnded(true)
        setEnded(false)
        const me = await queryClient.fetchQuery({ ...meQuery, staleTime: 0 }).catch(() => null)
        // Somebody else has signed in: nothing of the other account stays on the screen.
        if (me !== null && me.userId !== userId) location.assign('/')
        else await queryClient.invalidateQueries()
      }),
    [queryClient, userId],
  )
  return (
    hasEnded && (
      <Suspense>
        <SignInAgain email={email} />
      </Suspense>
    )
  )
}
