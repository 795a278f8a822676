import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/errors.ts'
import { ButtonLink } from '../components/button.tsx'
import { CheckField } from '../components/choices.tsx'
import { Field, Input } from '../components/field.tsx'
import { newPassword, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { Door } from '../shell/door.tsx'
import { forgetLinkToken, useLinkToken } from '../shell/link-token.ts'
import { DeadLink } from './dead-link.tsx'

/** Sets a new password with the link that was mailed or handed over. */
export function ResetPasswordPage() {
  const token = useLinkToken()
  const [state, setState] = useState<'open' | 'done' | 'dead'>('open')
  if (state === 'done') {
    return (
      <Door title="Your password is set" text="All your sessions have ended. Sign in with the new password.">
        <div className="form">
          <ButtonLink to="/sign-in" kind="primary" size="lg">
            Go to the sign-in
          </ButtonLink>
        </div>
      </Door>
    )
  }
  if (token === null || state === 'dead') {
    return (
      <DeadLink
        title="This link can’t be used"
        text="It was used already, is older than an hour, or is not whole. Have a new one mailed."
      >
        <ButtonLink to="/forgot-password" kind="primary" size="lg">
          Get a new link
        </ButtonLink>
      </DeadLink>
    )
  }
  return (
    <Door title="Set a new password" text="It ends all your sessions, here and elsewhere.">
      <ResetForm
        token={token}
        onDone={() => {
          setState('done')
          forgetLinkToken()
        }}
        onDead={() => setState('dead')}
      />
    </Door>
  )
}

function ResetForm({ token, onDone, onDead }: { token: string; onDone: () => void; onDead: () => void }) {
  const fields = useFields({ new_password: '' }, { new_password: newPassword })
  const [revokes, setRevokes] = useState(false)
  const reset = async () => {
    await answer(
      api.service.auth.password.reset.post({
        token,
        new_password: fields.values.new_password,
        revoke_tokens: revokes,
      }),
    )
    onDone()
  }
  return (
    <Form
      fields={fields}
      act="Set the password"
      big
      onSubmit={reset}
      onProblem={(error) => {
        if (isStatus(error, 404)) onDead()
        return isStatus(error, 404)
      }}
    >
      <Field label="New password" error={fields.errors.new_password} hint="At least 8 characters.">
        <Input big type="password" autoComplete="new-password" autoFocus {...fields.bind('new_password')} />
      </Field>
      <CheckField
        label="Revoke my tokens, too"
        hint="Choose this where somebody else may have had the password."
        checked={revokes}
        onChange={setRevokes}
      />
    </Form>
  )
}
