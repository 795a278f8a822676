import { useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { Radios } from '../components/choices.tsx'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { needed, useFields } from '../components/fields.ts'
import { Segments } from '../components/page-head.tsx'
import { EXPIRIES, type Expiry, endOf } from './expiry.ts'

export type TokenFormat = 'phase' | 'keyward'

/** The words for a format of tokens. */
export const FORMATS: Record<TokenFormat, { short: string; label: string; meaning: string }> = {
  phase: {
    short: 'CLI and SDKs',
    label: 'For the CLI, SDKs, Terraform and the operator',
    meaning: 'Opens secrets on the machine that uses it, also where the server may not read them.',
  },
  keyward: { short: 'HTTP', label: 'For HTTP', meaning: 'One bearer token, for curl and your own code.' },
}

/** What the API takes for a new token. */
export type NewToken = { name: string; format: TokenFormat; expires_at?: string }

type TokenFormProps = { onCreate: (token: NewToken) => Promise<unknown>; onCancel: () => void }

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

/** Makes a token: what it is for, its format, and when it ends. */
export function TokenForm({ onCreate, onCancel }: TokenFormProps) {
  const fields = useFields({ name: '' }, { name: needed('Write what the token is for.') })
  const [format, setFormat] = useState<TokenFormat>('phase')
  const [expiry, setExpiry] = useState<Expiry>('90')
  const [chosenDay, setChosenDay] = useState('')
  const { busy, problem, run } = useAct()
  const end = endOf(expiry, chosenDay)
  const create = () =>
    onCreate({
      name: fields.values.name.trim(),
      format,
      ...(end === null ? {} : { expires_at: end.toISOString() }),
    })
  return (
    <form
      className="form my-6"
      ref={fields.ref}
      noValidate
      aria-label="New token"
      onSubmit={(event) => {
        event.preventDefault()
        if (fields.check()) void run(create, (error) => fields.blame(messageOf(error)))
      }}
    >
      <Field label="Name" error={fields.errors.name}>
        <Input autoFocus autoComplete="off" placeholder="Where it will be used" {...fields.bind('name')} />
      </Field>
      <Radios<TokenFormat>
        legend="Format"
        value={format}
        options={(['phase', 'keyward'] as const).map((value) => ({ value, ...FORMATS[value] }))}
        onChange={setFormat}
      />
      <fieldset>
        <legend className="label">Ends</legend>
        <Segments label="Ends" value={expiry} options={EXPIRIES} onChange={setExpiry} />
        {expiry === 'day' && (
          <Input
            className="mt-2"
            type="date"
            aria-label="The last day"
            value={chosenDay}
            onChange={(event) => setChosenDay(event.target.value)}
          />
        )}
        <p className="hint">
          {expiry === 'never'
            ? 'Until it is revoked.'
            : end === null
              ? 'Choose its last day.'
              : `On ${day.format(end)}.`}
        </p>
      </fieldset>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      <div className="row">
        <Button
          kind="primary"
          type="submit"
          busy={busy}
          disabledBecause={expiry === 'day' && end === null ? 'Choose the last day of the token.' : null}
        >
          Create token
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
