import { lazy, Suspense, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { messageOf } from '../api/errors.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { CopyField } from '../components/copy-field.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { needed, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { Badge } from '../components/pieces.tsx'
import type { FactorPart, Recently } from './factor-part.ts'
import { Section } from './section.tsx'

const QrCode = lazy(() => import('./qr-code.tsx').then(({ QrCode }) => ({ default: QrCode })))

type Secret = { secret: string; uri: string }

/** The reader's authenticator app: set up with a first code, and removed. */
export function AuthenticatorApp({ recently, onChanged, isSetUp }: FactorPart & { isSetUp: boolean }) {
  const [secret, setSecret] = useState<Secret | null>(null)
  const [isRemoving, setRemoving] = useState(false)
  const { busy, problem, run } = useAct()
  const begin = () => run(async () => setSecret(await recently(() => answer(api.service.auth.totp.post({})))))
  return (
    <Section
      title="Authenticator app"
      text="An app on your phone shows a code of six digits, a new one every 30 seconds. It is asked for after the password."
      act={
        isSetUp ? (
          <Button kind="danger-quiet" onClick={() => setRemoving(true)}>
            Remove the app
          </Button>
        ) : (
          secret === null && (
            <Button icon="plus" busy={busy} onClick={begin}>
              Set up an app
            </Button>
          )
        )
      }
    >
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      {isSetUp && (
        <p>
          <Badge tone="add">Set up</Badge>
        </p>
      )}
      {!isSetUp && secret === null && <p className="dim">You have none yet.</p>}
      {!isSetUp && secret !== null && (
        <Confirm
          secret={secret}
          recently={recently}
          onConfirmed={(codes) => {
            setSecret(null)
            onChanged(codes)
          }}
          onCancel={() => setSecret(null)}
        />
      )}
      <ConfirmDialog
        open={isRemoving}
        onClose={() => setRemoving(false)}
        title="Remove the authenticator app?"
        text="Its codes are asked for no more, and count no more. Without another factor, the recovery codes are void, too."
        act="Remove"
        onConfirm={async () => {
          await recently(() => answer(api.service.auth.totp.delete()))
          onChanged()
        }}
      />
    </Section>
  )
}

type ConfirmProps = {
  secret: Secret
  recently: Recently
  onConfirmed: (codes: readonly string[] | null) => void
  onCancel: () => void
}

function Confirm({ secret, recently, onConfirmed, onCancel }: ConfirmProps) {
  const fields = useFields({ totp: '' }, { totp: needed('Write the six digits that the app shows.') })
  const confirm = async () => {
    const totp = fields.values.totp.replace(/\s/g, '')
    const { recoveryCodes } = await recently(() => answer(api.service.auth.totp.confirm.post({ totp })))
    onConfirmed(recoveryCodes)
  }
  return (
    <Form
      label="Set up an authenticator app"
      fields={fields}
      act="Set up"
      onSubmit={confirm}
      onProblem={(error) => fields.complain('totp', messageOf(error))}
      onCancel={onCancel}
    >
      <p>
        Scan this with the app, or open it <a href={secret.uri}>on this device</a>.
      </p>
      <Suspense fallback={<div className="qr" />}>
        <QrCode text={secret.uri} label="The secret of the authenticator app as a QR code" />
      </Suspense>
      <CopyField label="The secret, to be typed into the app" text={secret.secret} secret />
      <Field
        label="Code that the app shows"
        hint="It proves that the app is set up. You have 10 minutes."
        error={fields.errors.totp}
      >
        <Input className="mono" autoComplete="one-time-code" inputMode="numeric" {...fields.bind('totp')} />
      </Field>
    </Form>
  )
}
