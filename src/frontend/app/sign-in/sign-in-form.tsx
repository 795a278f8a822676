import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { startSession } from '../api/session.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { ErrorText } from '../components/field.tsx'
import { FactorForm } from './factor-form.tsx'
import { methodsQuery } from './methods.ts'
import { usePasskeyAutofill } from './passkey-autofill.ts'
import { askForPasskey, passkeysWork } from './passkeys.ts'
import { PasswordForm } from './password-form.tsx'
import { Providers } from './providers.tsx'
import { completeSignIn, type FactorAsked, type SignedIn, signInWithPasskey } from './sign-in.ts'

type SignInFormProps = {
  email?: string
  /** Whether only that address is meant: somebody who signs in anew. */
  isFixed?: boolean
  /** Where a provider leads back to. */
  next?: string
  invite?: string
  /** What a reader loses who leaves this page for a provider. */
  providerNote?: string
  /** Not called where the page is another account's: it is replaced then. */
  onSignedIn: (account: SignedIn) => void
}

/** Signs in by any way that the deployment offers, with the second factor where the account has one. */
export function SignInForm({
  email = '',
  isFixed = false,
  next = location.pathname + location.search,
  invite,
  providerNote,
  onSignedIn,
}: SignInFormProps) {
  const { data: methods } = useSuspenseQuery(methodsQuery)
  const [asked, setAsked] = useState<FactorAsked | null>(null)
  const [expired, setExpired] = useState<string | null>(null)
  const [isChoosing, setChoosing] = useState(false)
  const enter = (account: SignedIn) => {
    if (startSession(account)) onSignedIn(account)
  }
  const offersPasskeys = methods.password && !isFixed
  const autofill = usePasskeyAutofill(offersPasskeys && asked === null && !isChoosing, async (passkey) =>
    enter(await signInWithPasskey(passkey)),
  )
  if (asked !== null) {
    return (
      <>
        <FactorForm
          methods={asked.methods}
          ticket={asked.ticket}
          act="Sign in"
          onProve={async (factor) => enter(await completeSignIn(asked.ticket, factor))}
          onExpired={(sentence) => {
            setExpired(sentence)
            setAsked(null)
          }}
        />
        <div className="form mt-2!">
          <Button kind="quiet" onClick={() => setAsked(null)}>
            Start again
          </Button>
        </div>
      </>
    )
  }
  const hasOthers = methods.providers.length > 0 || passkeysWork()
  return (
    <>
      {methods.password && (
        <PasswordForm
          email={email}
          isFixed={isFixed}
          problem={expired}
          offersPasskeys={offersPasskeys}
          ready={autofill.settled}
          onSignedIn={enter}
          onAsked={setAsked}
        />
      )}
      {!methods.password && !hasOthers && <ErrorText>{NO_WAY_IN}</ErrorText>}
      {methods.password && hasOthers && <p className="or mt-4">or</p>}
      <div className={`form gap-2! ${methods.password ? 'mt-4!' : ''}`}>
        <Providers
          next={next}
          {...(invite === undefined ? {} : { invite })}
          {...(providerNote === undefined ? {} : { note: providerNote })}
        />
        {passkeysWork() && <PasskeyButton onChoosing={setChoosing} onSignedIn={enter} />}
        {autofill.problem !== null && <ErrorText>{autofill.problem}</ErrorText>}
      </div>
    </>
  )
}

const NO_WAY_IN =
  'There is no way to sign in now: passwords are switched off, and no provider of single sign-on can be reached. Whoever runs Keyward finds the cause in its log.'

type PasskeyButtonProps = {
  /** Told when the browser begins to ask for a passkey, and when it has been in vain. */
  onChoosing: (isChoosing: boolean) => void
  onSignedIn: (account: SignedIn) => void
}

function PasskeyButton({ onChoosing, onSignedIn }: PasskeyButtonProps) {
  const { busy, problem, run } = useAct()
  const choose = async () => {
    onChoosing(true)
    const isSignedIn = await run(async () => onSignedIn(await signInWithPasskey(await askForPasskey())))
    if (!isSignedIn) onChoosing(false)
  }
  return (
    <>
      <Button size="lg" icon="passkey" busy={busy} onClick={choose}>
        Sign in with a passkey
      </Button>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
    </>
  )
}
