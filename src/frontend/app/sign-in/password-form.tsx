import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { isStatus, messageOf } from '../api/errors.ts'
import { Field, Input } from '../components/field.tsx'
import { address, needed, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { ResendButton } from './resend.tsx'
import { type FactorAsked, type SignedIn, signInWithPassword } from './sign-in.ts'

type PasswordFormProps = {
  /** The address that is known already; `isFixed` where it can be no other. */
  email: string
  isFixed: boolean
  problem: string | null
  /** Whether the browser offers passkeys where it fills in the address. */
  offersPasskeys: boolean
  /** Awaited before anything is sent. */
  ready: () => Promise<unknown>
  onSignedIn: (account: SignedIn) => void
  onAsked: (asked: FactorAsked) => void
}

/** Signs in with an address and a password. */
export function PasswordForm({
  email,
  isFixed,
  problem,
  offersPasskeys,
  ready,
  onSignedIn,
  onAsked,
}: PasswordFormProps) {
  const fields = useFields(
    { email, password: '' },
    { email: address, password: needed('Write your password.') },
  )
  const [unverified, setUnverified] = useState(false)
  const signIn = async () => {
    setUnverified(false)
    await ready()
    const outcome = await signInWithPassword(fields.values.email.trim(), fields.values.password)
    if ('secondFactor' in outcome) onAsked(outcome.secondFactor)
    else onSignedIn(outcome)
  }
  return (
    <Form
      fields={fields}
      act="Sign in"
      big
      onSubmit={signIn}
      onProblem={(error) => {
        setUnverified(isStatus(error, 403) && messageOf(error).startsWith('Verify your e-mail address'))
        return fields.blame(messageOf(error)) || fields.complain('password', messageOf(error))
      }}
    >
      <Field label="E-mail" error={fields.errors.email}>
        <Input
          big
          type="email"
          autoComplete={offersPasskeys ? 'username webauthn' : 'username'}
          readOnly={isFixed}
          spellCheck={false}
          {...fields.bind('email')}
        />
      </Field>
      <Field
        label="Password"
        aside={<Link to="/forgot-password">Forgot it?</Link>}
        error={fields.errors.password ?? problem}
      >
        <Input big type="password" autoComplete="current-password" {...fields.bind('password')} />
      </Field>
      {unverified && <ResendButton email={fields.values.email.trim()} />}
    </Form>
  )
}
