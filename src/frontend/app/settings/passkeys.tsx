import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { Button } from '../components/button.tsx'
import { DateTime } from '../components/date-time.tsx'
import { ConfirmDialog } from '../components/dialog.tsx'
import { Field, Input } from '../components/field.tsx'
import { needed, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { Banner } from '../components/pieces.tsx'
import { Head } from '../components/table.tsx'
import { browserOf } from '../components/user-agent.ts'
import { makePasskey, passkeysWork } from '../sign-in/passkeys.ts'
import type { FactorPart, Recently } from './factor-part.ts'
import { passkeysQuery } from './queries.ts'
import { Section } from './section.tsx'

type Passkey = { id: string; name: string; createdAt: string; lastUsedAt: string | null }

/** The reader's passkeys: added with a name, and removed. */
export function Passkeys({ recently, onChanged, ofOtherHosts }: FactorPart & { ofOtherHosts: number }) {
  const { data: passkeys } = useSuspenseQuery(passkeysQuery)
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Passkey | null>(null)
  return (
    <Section
      title="Passkeys"
      text="Kept by your computer, phone or security key, which checks your fingerprint, face or PIN. A passkey signs in without a password, and is a second factor after it."
      act={
        !isAdding && (
          <Button
            icon="plus"
            disabledBecause={passkeysWork() ? null : 'Passkeys need https and a host name, or localhost.'}
            onClick={() => setAdding(true)}
          >
            Add a passkey
          </Button>
        )
      }
    >
      {ofOtherHosts > 0 && (
        <Banner tone="warn">
          {ofOtherHosts === 1 ? 'One passkey was' : `${ofOtherHosts} passkeys were`} made for another address
          of this Keyward and can’t be used here.
        </Banner>
      )}
      {isAdding && (
        <NewPasskey
          recently={recently}
          onAdded={(codes) => {
            setAdding(false)
            onChanged(codes)
          }}
          onCancel={() => setAdding(false)}
        />
      )}
      {passkeys.length > 0 && <PasskeyTable passkeys={passkeys} onRemove={setRemoved} />}
      {passkeys.length === 0 && !isAdding && <p className="dim">You have none yet.</p>}
      <ConfirmDialog
        open={removed !== null}
        onClose={() => setRemoved(null)}
        title={`Remove “${removed?.name}”?`}
        text="It signs in no more. Remove it from the device, too: there it stays until you do."
        act="Remove"
        onConfirm={async () => {
          if (removed === null) return
          await recently(() => answer(api.service.auth.passkeys({ id: removed.id }).delete()))
          onChanged()
        }}
      />
    </Section>
  )
}

type NewPasskeyProps = {
  recently: Recently
  onAdded: (codes: readonly string[] | null) => void
  onCancel: () => void
}

function NewPasskey({ recently, onAdded, onCancel }: NewPasskeyProps) {
  const fields = useFields(
    { name: browserOf(navigator.userAgent) },
    { name: needed('Write a name, such as that of the device.') },
  )
  const add = async () => {
    const options = await recently(() => answer(api.service.auth.passkeys.registration.post({})))
    const passkey = await makePasskey(options)
    const name = fields.values.name.trim()
    const { recoveryCodes } = await recently(() => answer(api.service.auth.passkeys.post({ name, passkey })))
    onAdded(recoveryCodes)
  }
  return (
    <Form
      label="New passkey"
      className="form mb-4"
      fields={fields}
      act="Add passkey"
      onSubmit={add}
      onCancel={onCancel}
    >
      <Field label="Name" hint="So that you know it again in this list." error={fields.errors.name}>
        <Input autoFocus autoComplete="off" {...fields.bind('name')} />
      </Field>
    </Form>
  )
}

type TableProps = { passkeys: readonly Passkey[]; onRemove: (passkey: Passkey) => void }

function PasskeyTable({ passkeys, onRemove }: TableProps) {
  return (
    <table className="list">
      <caption className="vh">Your passkeys</caption>
      <thead>
        <tr>
          <Head>Name</Head>
          <Head wide>Added</Head>
          <Head>Last used</Head>
          <td />
        </tr>
      </thead>
      <tbody>
        {passkeys.map((passkey) => (
          <tr key={passkey.id}>
            <th scope="row" className="wrap-anywhere">
              {passkey.name}
            </th>
            <td className="wide dim">
              <DateTime at={passkey.createdAt} />
            </td>
            <td className="dim">
              <DateTime at={passkey.lastUsedAt} />
            </td>
            <td className="r">
              <Button
                size="sm"
                kind="danger-quiet"
                aria-label={`Remove ${passkey.name}`}
                onClick={() => onRemove(passkey)}
              >
                Remove
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
