import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { messageOf } from '../api/errors.ts'
import { startSession } from '../api/session.ts'
import { CheckField } from '../components/choices.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Field, Input } from '../components/field.tsx'
import { needed, newPassword, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { useToast } from '../components/toast.tsx'
import { useViewer } from '../shell/viewer.ts'
import { FactorForm } from '../sign-in/factor-form.tsx'
import { completeSignIn, type FactorAsked, signInWithPassword } from '../sign-in/sign-in.ts'
import { Section } from './section.tsx'

const NOTHING = { current_password: '', new_password: '' }

/** Changes the password. That ends all sessions, so this browser signs in with the new one at once. */
export function PasswordSection() {
  const { email } = useViewer()
  const toast = useToast()
  const fields = useFields(NOTHING, {
    current_password: needed('Write the password that you have now.'),
    new_password: newPassword,
  })
  const [revokes, setRevokes] = useState(false)
  const [asked, setAsked] = useState<FactorAsked | null>(null)
  const finish = (signedIn: Parameters<typeof startSession>[0]) => {
    startSession(signedIn)
    setAsked(null)
    toast('Your password is changed. Your other sessions have ended.')
  }
  const change = async () => {
    const { values } = fields
    await answer(api.service.auth.password.change.post({ ...values, revoke_tokens: revokes }))
    const outcome = await signInWithPassword(email ?? '', values.new_password)
    fields.set('current_password', '')
    fields.set('new_password', '')
    if ('secondFactor' in outcome) setAsked(outcome.secondFactor)
    else finish(outcome)
  }
  return (
    <Section title="Password" text="A new one ends all your sessions but this one.">
      <Form
        fields={fields}
        act="Change the password"
        kind="plain"
        onSubmit={change}
        onProblem={(error) =>
          messageOf(error).startsWith('The current password') &&
          fields.complain('current_password', messageOf(error))
        }
      >
        <input type="hidden" autoComplete="username" value={email ?? ''} readOnly />
        <Field label="Current password" error={fields.errors.current_password}>
          <Input type="password" autoComplete="current-password" {...fields.bind('current_password')} />
        </Field>
        <Field label="New password" error={fields.errors.new_password} hint="At least 8 characters.">
          <Input type="password" autoComplete="new-password" {...fields.bind('new_password')} />
        </Field>
        <CheckField
          label="Revoke my tokens, too"
          hint="Choose this where somebody else may have had the password."
          checked={revokes}
          onChange={setRevokes}
        />
      </Form>
      <Dialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        dismissible={false}
        title="Sign in with the new password"
        text="The password is changed. Confirm this sign-in with your second factor."
      >
        {asked !== null && (
          <FactorForm
            methods={asked.methods}
            ticket={asked.ticket}
            act="Sign in"
            onProve={async (factor) => finish(await completeSignIn(asked.ticket, factor))}
            // The dialog of an ended session takes over at the next request.
            onExpired={() => setAsked(null)}
          />
        )}
      </Dialog>
    </Section>
  )
}
