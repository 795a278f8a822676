import { type ReactNode, useRef, useState } from 'react'
import { isSignInTooOld } from '../api/refusals.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { SignInForm } from './sign-in-form.tsx'

type Waiting = { goOn: () => void; giveUp: () => void }

type RecentSignIn = {
  /** Does something that needs a sign-in of the last 10 minutes: where it is too old, asks for one and does it again. */
  recently: <T>(act: () => Promise<T>) => Promise<T>
  /** To be rendered: the dialog that asks. */
  dialog: ReactNode
}

/** Asks to sign in again, in place, where the API wants a recent sign-in, and goes on with what was begun. */
export function useRecentSignIn(email: string): RecentSignIn {
  const [isAsking, setAsking] = useState(false)
  const waiting = useRef<Waiting | null>(null)
  const end = (how: keyof Waiting) => {
    setAsking(false)
    waiting.current?.[how]()
    waiting.current = null
  }
  const recently = async <T,>(act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      if (!isSignInTooOld(error)) throw error
      await new Promise<void>((goOn, giveUp) => {
        waiting.current = { goOn, giveUp: () => giveUp(error) }
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
        onClose={() => end('giveUp')}
        title="Sign in again"
        text="This needs a sign-in of the last 10 minutes. What you began goes on afterwards."
        acts={
          <Button kind="quiet" onClick={() => end('giveUp')}>
            Cancel
          </Button>
        }
      >
        <SignInForm
          email={email}
          isFixed={email !== ''}
          providerNote="A provider leads away from this page and back: then begin again with what you wanted to do."
          onSignedIn={() => end('goOn')}
        />
      </Dialog>
    ),
  }
}
