import { useState } from 'react'
import { Radios } from '../components/choices.tsx'
import { exactDay } from '../components/date-time.tsx'
import { Field, Input } from '../components/field.tsx'
import { needed, useFields } from '../components/fields.ts'
import { Form } from '../components/form.tsx'
import { Segments } from '../components/page-head.tsx'
import { ENDS, type Ends, endOf } from './expiry.ts'
import { FORMATS, type NewToken, type TokenFormat } from './token.ts'

type TokenFormProps = { onCreate: (token: NewToken) => Promise<unknown>; onCancel: () => void }

/** Makes a token: where it is used, its format, and when it ends. */
export function TokenForm({ onCreate, onCancel }: TokenFormProps) {
  const [format, setFormat] = useState<TokenFormat>('phase')
  const [ends, setEnds] = useState<Ends>('90')
  const fields = useFields(
    { name: '', day: '' },
    {
      name: needed('Write what the token is for.'),
      day: (day) => (ends === 'day' ? faultOfDay(endOf(ends, day)) : null),
    },
  )
  const end = endOf(ends, fields.values.day)
  const create = () =>
    onCreate({
      name: fields.values.name.trim(),
      format,
      ...(end != null && { expires_at: end.toISOString() }),
    })
  return (
    <Form
      label="New token"
      className="form my-6"
      fields={fields}
      act="Create token"
      onSubmit={create}
      onCancel={onCancel}
    >
      <Field label="Name" error={fields.errors.name}>
        <Input
          autoFocus
          autoComplete="off"
          maxLength={64}
          placeholder="Where it will be used"
          {...fields.bind('name')}
        />
      </Field>
      <FormatChoice format={format} onChange={setFormat} />
      <fieldset>
        <legend className="label">Ends</legend>
        <Segments label="Ends" value={ends} options={ENDS} onChange={setEnds} />
        {ends === 'day' && (
          <div className="mt-3">
            <Field label="Day on which it ends" error={fields.errors.day}>
              <Input type="date" className="w-auto!" {...fields.bind('day')} />
            </Field>
          </div>
        )}
        {end !== undefined && (
          <p className="hint">
            {end === null ? 'It works until it is revoked.' : `On ${exactDay(end.toISOString())}.`}
          </p>
        )}
      </fieldset>
    </Form>
  )
}

function faultOfDay(end: Date | null | undefined): string | null {
  if (end == null) return 'Choose the day on which the token ends.'
  return end.getTime() <= Date.now() ? 'Choose a day to come.' : null
}

/** For what a token is made. */
export const FormatChoice = ({
  format,
  onChange,
}: {
  format: TokenFormat
  onChange: (format: TokenFormat) => void
}) => <Radios legend="Format" value={format} options={FORMATS} onChange={onChange} />
