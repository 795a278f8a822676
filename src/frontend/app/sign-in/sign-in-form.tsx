import { useSuspenseQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { messageOf } from '../api/errors.ts'
import { startSession } from '../api/session.ts'
import { Button } from '../components/button.tsx'
import { Field, Input } from '../components/field.tsx'
import { methodsQuery } from './methods.ts'

/** Signs in with a password. */
export function SignInForm({ email: given = '', onSignedIn }: { email?: string; onSignedIn: () => void }) {
  useSuspenseQuery(methodsQuery)
  const [email, setEmail] = useState(given)
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      const signedIn = await answer(api.service.auth.password.login.post({ email, password }))
      if ('accessToken' in signedIn) {
        startSession(signedIn)
        onSignedIn()
      }
    } catch (error) {
      setProblem(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label="E-mail">
        <Input
          big
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label="Password" error={problem}>
        <Input
          big
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      <Button kind="primary" size="lg" type="submit" busy={busy}>
        Sign in
      </Button>
    </form>
  )
}
