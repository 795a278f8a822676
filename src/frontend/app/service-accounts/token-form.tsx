import { type FormEvent, useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { Button } from '../components/button.tsx'
import { Radio } from '../components/cell.tsx'
import { exactDay } from '../components/date-time.tsx'
import { ErrorText, Field, Input } from '../components/field.tsx'
import { Segments } from '../components/page-head.tsx'
import { createToken, type IssuedToken } from './queries.ts'
import { ENDS, type Ends, endOf, FORMATS, type TokenFormat } from './tokens.ts'

type TokenFormProps = { accountId: string; onCreated: (token: IssuedToken) => void; onCancel: () => void }

/** Makes a token: its name, for what it is, and when it ends. */
export function TokenForm({ accountId, onCreated, onCancel }: TokenFormProps) {
  const [name, setName] = useState('')
  const [format, setFormat] = useState<TokenFormat>('phase')
  const [ends, setEnds] = useState<Ends>('90')
  const [day, setDay] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const end = endOf(ends, day)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (end === undefined) return setProblem('Choose the day on which the token ends.')
    setBusy(true)
    setProblem(null)
    try {
      onCreated(
        await createToken(accountId, {
          name: name.trim(),
          format,
          ...(end !== null && { expires_at: end.toISOString() }),
        }),
      )
    } catch (error) {
      setProblem(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <form className="form mt-8" aria-labelledby="new-token" onSubmit={submit}>
      <h2 id="new-token">New token</h2>
      <Field label="Name">
        <Input
          autoFocus
          required
          maxLength={64}
          placeholder="Where it will be used"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <FormatChoice format={format} onChange={setFormat} />
      <div>
        <p className="label">Ends</p>
        <Segments label="Ends" value={ends} options={ENDS} onChange={setEnds} />
        {ends === 'day' && (
          <div className="mt-3">
            <Field label="Day on which it ends">
              <Input
                type="date"
                required
                className="w-auto!"
                value={day}
                onChange={(event) => setDay(event.target.value)}
              />
            </Field>
          </div>
        )}
        <p className="hint">
          {end === null
            ? 'It works until it is revoked.'
            : end !== undefined && `On ${exactDay(end.toISOString())}`}
        </p>
      </div>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      <div className="row">
        <Button kind="primary" type="submit" busy={busy}>
          Create token
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

/** For what a token is made. */
export function FormatChoice({
  format,
  onChange,
}: {
  format: TokenFormat
  onChange: (format: TokenFormat) => void
}) {
  return (
    <fieldset>
      <legend className="label">Format</legend>
      {FORMATS.map(({ value, label, meaning }) => (
        <label key={value} className="choice">
          <Radio name="format" checked={format === value} onChange={() => onChange(value)} />
          <span>
            {label}
            <small>{meaning}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
