import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { type Details, DetailsFields, NO_DETAILS, storedDetails } from './details-fields.tsx'
import { useGrid } from './grid.ts'
import { PanelFrame } from './panel.tsx'
import type { PanelProps } from './panel-props.ts'
import { ReferenceInput } from './reference-input.tsx'
import { foldersOf, nameOf } from './secret-rows.ts'

/** A new secret, with a value for each environment; one that is left empty gets none. */
export function NewSecretForm({ app, selection, onClose }: PanelProps) {
  const { rows, dispatch } = useGrid()
  const [details, setDetails] = useState<Details>({
    ...NO_DETAILS,
    path: selection.path ?? '/',
    tags: selection.tag ?? '',
  })
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [keyError, setKeyError] = useState<string | null>(null)
  const [valueError, setValueError] = useState<string | null>(null)
  const keep = () => {
    const { key, path, ...fields } = storedDetails(details)
    const row = nameOf({ key, path })
    const given = app.environments.filter(({ id }) => (values[id] ?? '') !== '')
    const taken = given.find(({ id }) => rows.get(row)?.cells.has(id))
    const problem =
      key === ''
        ? 'A secret needs a name.'
        : taken === undefined
          ? null
          : `${taken.name} has ${key} at ${path} already. Change its value in the grid.`
    setKeyError(problem)
    setValueError(given.length === 0 ? 'A secret needs a value in at least one environment.' : null)
    if (problem !== null || given.length === 0) return
    for (const { id } of given) {
      dispatch({
        act: 'change',
        environmentId: id,
        row,
        base: null,
        change: { ...fields, value: values[id] ?? '' },
      })
    }
    onClose()
  }
  return (
    <PanelFrame
      title="New secret"
      onClose={onClose}
      onSubmit={keep}
      note="Saved when you apply the changes."
      act={
        <Button hint="⌘↵" onClick={keep}>
          Add to the changes
        </Button>
      }
    >
      <DetailsFields
        details={details}
        onChange={setDetails}
        keyError={keyError}
        folders={foldersOf([...rows.values()]).map(({ path }) => path)}
      >
        <div className="fields">
          {app.environments.map((environment, place) => (
            <Field
              key={environment.id}
              label={`Value in ${environment.name}`}
              error={place === 0 ? valueError : null}
            >
              <ReferenceInput
                value={values[environment.id] ?? ''}
                onChange={(value) => setValues({ ...values, [environment.id]: value })}
                environment={environment}
              />
            </Field>
          ))}
        </div>
      </DetailsFields>
    </PanelFrame>
  )
}
