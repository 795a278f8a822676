import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { holdPage, onSession } from '../api/session.ts'

const loadDialog = () => import('./sign-in-again.tsx').then(({ SignInAgain }) => ({ default: SignInAgain }))
const SignInAgain = lazy(loadDialog)

/** Asks to sign in anew where the session ended, over the page: it is hidden, and keeps its place and what was typed there. */
export function SessionEnded({ email, userId }: { email: string; userId: string | null }) {
  const [hasEnded, setEnded] = useState(false)
  const queryClient = useQueryClient()
  useEffect(() => {
    // Loaded ahead: when a session has ended, the server may be one that has other files.
    const timer = setTimeout(() => void loadDialog().catch(() => {}), 3_000)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => holdPage(userId), [userId])
  useEffect(
    () =>
      onSession((state) => {
        setEnded(state === 'ended')
        if (state === 'started') void queryClient.invalidateQueries()
      }),
    [queryClient],
  )
  useEffect(() => {
    document.documentElement.toggleAttribute('data-session-ended', hasEnded)
  }, [hasEnded])
  return (
    hasEnded && (
      <Suspense>
        <SignInAgain email={email} />
      </Suspense>
    )
  )
}
