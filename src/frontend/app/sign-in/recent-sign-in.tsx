import { type ReactNode, useRef, useState } from 'react'
import { ApiError } from '../api/errors.ts'
import { isSignInTooOld } from '../api/refusals.ts'
import { isPageHeld } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import type { SignedIn } from './sign-in.ts'
import { SignInForm } from './sign-in-form.tsx'

type Waiting = { goOn: () => void; giveUp: (because?: Error) => void }

type RecentSignIn = {
  /** Does something that needs a sign-in of the last 10 minutes: where it is too old, asks for one and does it again. */
  recently: <T>(act: () => Promise<T>) => Promise<T>
  /** To be rendered: the dialog that asks. */
  dialog: ReactNode
}

/**
 * Asks to sign in again, in place, where the API wants a recent sign-in, and goes on with what was begun. Where nobody
 * knows whose page this is, another account may have signed in: then nothing goes on, and the reader begins again.
 */
export function useRecentSignIn(email: string): RecentSignIn {
  const [isAsking, setAsking] = useState(false)
  const waiting = useRef<Waiting | null>(null)
  const end = (how: (waiting: Waiting) => void) => {
    setAsking(false)
    if (waiting.current !== null) how(waiting.current)
    waiting.current = null
  }
  const cancel = () => end(({ giveUp }) => giveUp())
  const enter = ({ user }: SignedIn) =>
    end(({ goOn, giveUp }) => {
      if (isPageHeld()) goOn()
      else giveUp(new ApiError(403, `You are signed in as ${user.email} now. Begin again.`))
    })
  const recently = async <T,>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      if (!isSignInTooOld(error)) throw error
      await new Promise<void>((goOn, giveUp) => {
        waiting.current = { goOn, giveUp: (because) => giveUp(because ?? error) }
        setAsking(true)
      })
      return await act()
    }
  }
  return {
    recently,
    dialog: (
      <Dialog
        open={isAsking}
        onClose={cancel}
        title="Sign in again"
        text="This needs a sign-in of the last 10 minutes. What you began goes on afterwards."
        acts={
          <Button kind="quiet" onClick={cancel}>
            Cancel
          </Button>
        }
      >
        <SignInForm
          email={email}
          isFixed={email !== ''}
          providerNote="A provider leads away from this page and back: then begin again with what you wanted to do."
          onSignedIn={enter}
        />
      </Dialog>
    ),
  }
}
