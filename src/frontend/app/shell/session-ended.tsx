import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { onSession } from '../api/session.ts'
import { Dialog } from '../components/dialog.tsx'
import { SignInForm } from '../sign-in/sign-in-form.tsx'

/** Asks to sign in anew where the session ended, over the page: it keeps its place and what was typed there. */
export function SessionEnded({ email }: { email: string }) {
  const [hasEnded, setEnded] = useState(false)
  const queryClient = useQueryClient()
  useEffect(
    () =>
      onSession((state) => {
        if (state === 'left') location.assign('/sign-in')
        else setEnded(state === 'ended')
        if (state === 'started') void queryClient.invalidateQueries()
      }),
    [queryClient],
  )
  return (
    <Dialog
      open={hasEnded}
      onClose={() => {}}
      dismissible={false}
      title="Your session has ended"
      text="Sign in to go on where you were. What you typed is kept."
    >
      <SignInForm email={email} onSignedIn={() => setEnded(false)} />
    </Dialog>
  )
}
