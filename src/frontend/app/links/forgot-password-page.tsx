import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { Field, Input } from '../components/field.tsx'
import { address, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { Door } from '../shell/door.tsx'
import { methodsQuery } from '../sign-in/methods.ts'

/** Mails a link that sets a new password. */
export function ForgotPasswordPage() {
  const { data: methods } = useSuspenseQuery(methodsQuery)
  const [sentTo, setSentTo] = useState<string | null>(null)
  if (!methods.password || !methods.mail) {
    return (
      <Door title="Forgotten password" text={methods.password ? NO_MAIL : NO_PASSWORDS}>
        <div className="form">
          <ButtonLink to="/sign-in" size="lg">
            Go to the sign-in
          </ButtonLink>
        </div>
      </Door>
    )
  }
  if (sentTo !== null) {
    return (
      <Door
        title="Look into your mails"
        text={`If ${sentTo} has an account here, a link that sets a new password is on its way. It is valid for an hour.`}
      >
        <div className="form">
          <Button size="lg" onClick={() => setSentTo(null)}>
            Try another address
          </Button>
          <ButtonLink to="/sign-in" size="lg">
            Go to the sign-in
          </ButtonLink>
        </div>
      </Door>
    )
  }
  return <RequestForm onSent={setSentTo} />
}

const NO_MAIL = (
  <>
    This Keyward has no mail gateway, so it can mail no link. Whoever runs it can hand you one, by{' '}
    <code>keyward users reset</code>.
  </>
)
const NO_PASSWORDS = 'Passwords are switched off here. Sign in with single sign-on or with a passkey.'

function RequestForm({ onSent }: { onSent: (email: string) => void }) {
  const fields = useFields({ email: '' }, { email: address })
  const request = async () => {
    const email = fields.values.email.trim()
    await answer(api.service.auth.password.forgot.post({ email }))
    onSent(email)
  }
  return (
    <Door title="Forgotten password" text="A link that sets a new one is mailed to you.">
      <Form fields={fields} act="Mail the link" big onSubmit={request}>
        <Field label="E-mail" error={fields.errors.email}>
          <Input big type="email" autoComplete="username" autoFocus {...fields.bind('email')} />
        </Field>
      </Form>
      <p className="mt-4">
        <Link to="/sign-in">Back to the sign-in</Link>
      </p>
    </Door>
  )
}
