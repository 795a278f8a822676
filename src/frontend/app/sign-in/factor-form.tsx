import { useState } from 'react'
import { isStatus, messageOf } from '../api/errors.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { needed, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { askForPasskey, passkeysWork } from './passkeys.ts'
import type { FactorMethod, SentFactor } from './sign-in.ts'

type FactorFormProps = {
  methods: readonly FactorMethod[]
  /** The ticket of the sign-in that waits; none where somebody signed in confirms something. */
  ticket?: string
  /** Names the act, such as "Sign in". */
  act: string
  onProve: (factor: SentFactor) => Promise<unknown>
  /** Called where the sign-in can't go on: its ticket is used up or too old. */
  onExpired?: (sentence: string) => void
}

const OTHER_WAYS: Record<FactorMethod, string> = {
  passkey: 'Use a passkey instead',
  totp: 'Use the authenticator app instead',
  recovery: 'Use a recovery code instead',
}

/** Proves the second factor: with a passkey, the code of an app, or a recovery code. */
export function FactorForm({ methods, ticket, act, onProve, onExpired }: FactorFormProps) {
  const usable = methods.filter((method) => method !== 'passkey' || passkeysWork())
  const [method, setMethod] = useState<FactorMethod | undefined>(usable[0])
  const { busy, problem, setProblem, run } = useAct()
  const expires = (error: unknown): boolean => {
    if (!isStatus(error, 404) || onExpired === undefined) return false
    onExpired(messageOf(error))
    return true
  }
  if (method === undefined) return <ErrorText>{LOCKED_OUT}</ErrorText>
  return (
    <div className="form">
      {method === 'passkey' ? (
        <>
          <p className="dim">Your browser asks for the passkey of this account.</p>
          {problem !== null && <ErrorText>{problem}</ErrorText>}
          <Button
            kind="primary"
            size="lg"
            icon="passkey"
            busy={busy}
            onClick={() => run(async () => onProve({ passkey: await askForPasskey(ticket) }), expires)}
          >
            {act} with a passkey
          </Button>
        </>
      ) : (
        <CodeForm
          key={method}
          method={method}
          act={act}
          onCode={(code) => onProve(method === 'totp' ? { totp: code } : { recovery_code: code })}
          onProblem={expires}
        />
      )}
      {usable
        .filter((other) => other !== method)
        .map((other) => (
          <Button
            key={other}
            kind="quiet"
            onClick={() => {
              setProblem(null)
              setMethod(other)
            }}
          >
            {OTHER_WAYS[other]}
          </Button>
        ))}
    </div>
  )
}

const LOCKED_OUT =
  'None of your second factors can be used at this address. Use the address that they were made for, or ask whoever runs Keyward to let you in again.'

type CodeFormProps = {
  method: 'totp' | 'recovery'
  act: string
  onCode: (code: string) => Promise<unknown>
  onProblem: (error: unknown) => boolean
}

function CodeForm({ method, act, onCode, onProblem }: CodeFormProps) {
  const isApp = method === 'totp'
  const fields = useFields(
    { code: '' },
    {
      code: needed(isApp ? 'Write the six digits that the app shows.' : 'Write one of your recovery codes.'),
    },
  )
  const { code } = fields.values
  return (
    <Form
      fields={fields}
      act={act}
      big
      onSubmit={() => onCode(isApp ? code.replace(/\s/g, '') : code.trim())}
      onProblem={(error) => onProblem(error) || fields.complain('code', messageOf(error))}
    >
      <Field
        label={isApp ? 'Code of the authenticator app' : 'Recovery code'}
        hint={isApp ? 'Six digits, a new code every 30 seconds.' : 'Each works once.'}
        error={fields.errors.code}
      >
        <Input
          big
          className="mono"
          autoFocus
          autoComplete={isApp ? 'one-time-code' : 'off'}
          inputMode={isApp ? 'numeric' : 'text'}
          spellCheck={false}
          {...fields.bind('code')}
        />
      </Field>
    </Form>
  )
}
