import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { messageOf } from '../api/errors.ts'
import { startSession } from '../api/session.ts'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { address, needed, newPassword, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { Door } from '../shell/door.tsx'
import { forgetLinkToken, useLinkToken } from '../shell/link-token.ts'
import { methodsQuery } from '../sign-in/methods.ts'
import { Providers } from '../sign-in/providers.tsx'
import { signInWithPassword } from '../sign-in/sign-in.ts'

/** The first run: makes the first account, which becomes the Owner, and its organisation. */
export function SetupPage() {
  const { data: methods } = useSuspenseQuery(methodsQuery)
  const fromLink = useLinkToken()
  const [typed, setTyped] = useState('')
  const [wasRefused, setRefused] = useState(false)
  const [isDone, setDone] = useState(false)
  if (!methods.setupRequired && !isDone) return <Navigate to="/sign-in" replace />
  const isAsked = methods.setupTokenRequired && (fromLink === null || wasRefused)
  const token = isAsked ? typed : (fromLink ?? '')
  const onRefused = () => {
    setRefused(true)
    setTyped((before) => before || (fromLink ?? ''))
  }
  const tokenField = isAsked && <TokenField value={typed} onChange={setTyped} />
  return (
    <Door
      title="Set up this Keyward"
      text="Nobody has an account here yet. The first one becomes the Owner of the organisation. There is exactly one Owner; ownership can be transferred later."
    >
      {methods.password ? (
        <SetupForm
          token={token}
          isTokenNeeded={methods.setupTokenRequired}
          hasMail={methods.mail}
          onRefused={onRefused}
          onDone={() => setDone(true)}
        >
          {tokenField}
        </SetupForm>
      ) : (
        tokenField && <div className="form">{tokenField}</div>
      )}
      {methods.providers.length > 0 && (
        <div className="form">
          {methods.password && <p className="or">or</p>}
          <Providers
            next="/"
            setupToken={token}
            note="The organisation is called “My organisation” then. It can be renamed in the settings."
          />
        </div>
      )}
      {!methods.password && methods.providers.length === 0 && <ErrorText>{NO_WAY_IN}</ErrorText>}
    </Door>
  )
}

const NO_WAY_IN =
  'There is no way to make the first account now: passwords are switched off, and no provider of single sign-on can be reached. The log of Keyward tells the cause.'

function TokenField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <Field
      label="Set-up token"
      hint="Whoever started this deployment set it, so that no stranger can come first: the value of SETUP_TOKEN."
    >
      <Input
        big
        className="mono"
        name="setup_token"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
}

type SetupFormProps = {
  token: string
  isTokenNeeded: boolean
  hasMail: boolean
  onRefused: () => void
  onDone: () => void
  children: React.ReactNode
}

function SetupForm({ token, isTokenNeeded, hasMail, onRefused, onDone, children }: SetupFormProps) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const fields = useFields(
    { organisation_name: '', full_name: '', email: '', password: '' },
    {
      organisation_name: needed('Write the name of the organisation.'),
      full_name: needed('Write your name.'),
      email: address,
      password: newPassword,
    },
  )
  const create = async () => {
    const { email, password, ...names } = fields.values
    const account = { ...names, email: email.trim(), password }
    await answer(
      api.service.auth.password.register.post(isTokenNeeded ? { ...account, setup_token: token } : account),
    )
    forgetLinkToken()
    onDone()
    await queryClient.invalidateQueries({ queryKey: methodsQuery.queryKey })
    const signedIn = await signInWithPassword(account.email, password)
    if ('accessToken' in signedIn) startSession(signedIn)
    await navigate({ to: '/' })
  }
  return (
    <Form
      fields={fields}
      act="Create the organisation"
      big
      onSubmit={create}
      onProblem={(error) => {
        if (messageOf(error).includes('setup_token')) onRefused()
        return false
      }}
    >
      <Field
        label="Organisation"
        error={fields.errors.organisation_name}
        hint="It can be renamed in the settings."
      >
        <Input big autoComplete="organization" autoFocus {...fields.bind('organisation_name')} />
      </Field>
      <Field label="Your name" error={fields.errors.full_name} hint="It can’t be changed later.">
        <Input big autoComplete="name" {...fields.bind('full_name')} />
      </Field>
      <Field
        label="E-mail"
        error={fields.errors.email}
        hint={
          hasMail
            ? 'It can’t be changed later. The first account works at once, without a mail that verifies it.'
            : 'It can’t be changed later. No mail gateway is configured, so no message is sent and the account works at once.'
        }
      >
        <Input big type="email" autoComplete="username" {...fields.bind('email')} />
      </Field>
      <Field label="Password" error={fields.errors.password} hint="At least 8 characters.">
        <Input big type="password" autoComplete="new-password" {...fields.bind('password')} />
      </Field>
      {children}
    </Form>
  )
}
