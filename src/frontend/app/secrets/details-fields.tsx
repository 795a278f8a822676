import type { ReactNode } from 'react'
import { Field, Input, TextArea } from '../components/field.tsx'
import { Select } from '../components/select.tsx'
import type { SecretType } from './secret.ts'

/** What a secret has beside its values, as it is typed. */
export type Details = {
  key: string
  path: string
  tags: string
  comment: string
  type: SecretType
  expiresOn: string
}

export const NO_DETAILS: Details = {
  key: '',
  path: '/',
  tags: '',
  comment: '',
  type: 'secret',
  expiresOn: '',
}

type DetailsFieldsProps = {
  details: Details
  onChange: (details: Details) => void
  keyError: string | null
  isSealed?: boolean
  folders: readonly string[]
  /** Stands after the name, the path and the tags. */
  children?: ReactNode
}

/** The fields of a secret that are no value. */
export function DetailsFields({
  details,
  onChange,
  keyError,
  isSealed = false,
  folders,
  children,
}: DetailsFieldsProps) {
  const set = <F extends keyof Details>(field: F, value: Details[F]) =>
    onChange({ ...details, [field]: value })
  const stays = isSealed ? 'A sealed secret stays sealed.' : null
  return (
    <>
      <div className="fields">
        <Field label="Name" error={keyError}>
          <Input
            className="mono"
            value={details.key}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => set('key', event.target.value)}
          />
        </Field>
        <Field label="Path" hint="Folders, such as /db. They exist by having secrets.">
          <Input
            className="mono"
            list="secret-folders"
            value={details.path}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => set('path', event.target.value)}
          />
        </Field>
        <datalist id="secret-folders">
          {folders.map((path) => (
            <option key={path} value={path} />
          ))}
        </datalist>
        <Field label="Tags" hint="With commas between them.">
          <Input
            value={details.tags}
            autoComplete="off"
            onChange={(event) => set('tags', event.target.value)}
          />
        </Field>
      </div>
      {children}
      <div className="fields">
        <div className="field">
          <span className="label">Type</span>
          <Select
            label="Type"
            value={details.type}
            options={[
              {
                value: 'secret',
                label: 'Secret',
                meaning: 'Hidden until it is asked for.',
                disabledBecause: stays,
              },
              {
                value: 'config',
                label: 'Config',
                meaning: 'No secret: always shown.',
                disabledBecause: stays,
              },
              {
                value: 'sealed',
                label: 'Sealed',
                meaning: 'Never shown again; it can be replaced. It stays sealed.',
              },
            ]}
            onChange={(type) => set('type', type)}
          />
        </div>
        <Field label="Replace by" hint="A reminder: nothing happens to the value by itself.">
          <Input
            type="date"
            max={LAST_DAY}
            value={details.expiresOn}
            onChange={(event) => set('expiresOn', event.target.value)}
          />
        </Field>
        <Field label="Comment">
          <TextArea
            rows={1}
            value={details.comment}
            onChange={(event) => set('comment', event.target.value)}
          />
        </Field>
      </div>
    </>
  )
}

/** Details in the form in which they are stored. */
export const storedDetails = ({ key, path, tags, comment, type, expiresOn }: Details) => ({
  key: key.trim(),
  path: storedPath(path),
  tags: tags
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean),
  comment,
  type,
  expiresAt: expiresOn === '' ? null : startOf(expiresOn),
})

/** The instant at which a day begins; what is no day is left as it is, for the server to refuse. */
function startOf(day: string): string {
  const date = new Date(`${day}T00:00:00`)
  return Number.isNaN(date.getTime()) ? day : date.toISOString()
}

/** A path as it is stored: one slash before each folder, none at the end. */
export const storedPath = (path: string): string =>
  `/${path
    .split('/')
    .map((part) => part.trim())
    .filter(Boolean)
    .join('/')}`

/** The day of an instant, as a date field has it. */
export function dayOf(instant: string | undefined): string {
  if (instant === undefined) return ''
  const date = new Date(instant)
  // East of UTC, the last hours of the last year that can be stored are in the next one.
  if (date.getFullYear() > 9999) return LAST_DAY
  const day = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'))
  return [String(date.getFullYear()).padStart(4, '0'), ...day].join('-')
}

const LAST_DAY = '9999-12-31'
