import { answer, api } from '../api/client.ts'
import { startSession } from '../api/session.ts'
import { Field, Input } from '../components/field.tsx'
import { needed, newPassword, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { signInWithPassword } from '../sign-in/sign-in.ts'

type NewAccountProps = {
  token: string
  email: string
  organisation: string
  onJoined: () => Promise<unknown>
}

/** Makes an account for the address that is invited, accepts the invite with it and signs in. */
export function NewAccountForm({ token, email, organisation, onJoined }: NewAccountProps) {
  const fields = useFields(
    { full_name: '', password: '' },
    { full_name: needed('Write your name.'), password: newPassword },
  )
  const join = async () => {
    const { password, full_name } = fields.values
    await answer(api.service.auth.password.register.post({ email, password, full_name, invite: token }))
    const signedIn = await signInWithPassword(email, password)
    if ('accessToken' in signedIn) startSession(signedIn)
    await onJoined()
  }
  return (
    <Form fields={fields} act={`Join ${organisation}`} big onSubmit={join}>
      <input type="hidden" autoComplete="username" value={email} readOnly />
      <Field label="Your name" error={fields.errors.full_name}>
        <Input big autoComplete="name" autoFocus {...fields.bind('full_name')} />
      </Field>
      <Field label="Password" error={fields.errors.password} hint="At least 8 characters.">
        <Input big type="password" autoComplete="new-password" {...fields.bind('password')} />
      </Field>
    </Form>
  )
}
