import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { type Details, DetailsFields, dayOf, storedDetails } from './details-fields.tsx'
import { useGrid } from './grid.ts'
import { PanelFrame } from './panel.tsx'
import type { PanelProps } from './panel-props.ts'
import type { Secret } from './secret.ts'
import { foldersOf, isSealed, nameOf, type SecretRow } from './secret-rows.ts'

/** Renames or moves a secret in all environments that have it, and changes its tags, type, comment and date. */
export function DetailsForm({ row, onClose }: Pick<PanelProps, 'onClose'> & { row: SecretRow }) {
  const { rows, dispatch } = useGrid()
  const [first] = row.cells.values()
  const before = detailsOf(row, first)
  const [details, setDetails] = useState<Details>(before)
  const [keyError, setKeyError] = useState<string | null>(null)
  const keep = () => {
    const after = storedDetails(details)
    const stored = storedDetails(before)
    const isTaken = nameOf(after) !== row.name && rows.has(nameOf(after))
    setKeyError(
      after.key === ''
        ? 'A secret needs a name.'
        : isTaken
          ? `There is a ${after.key} at ${after.path} already.`
          : null,
    )
    if (after.key === '' || isTaken) return
    // What was not touched stays as it is in each environment.
    const change = Object.fromEntries(
      Object.entries(after).filter(
        ([field, value]) => JSON.stringify(value) !== JSON.stringify(stored[field as keyof typeof stored]),
      ),
    )
    for (const [environmentId, base] of row.cells)
      dispatch({ act: 'change', environmentId, row: row.name, base, change })
    onClose()
  }
  return (
    <PanelFrame
      title={`Details of ${row.key}`}
      onClose={onClose}
      onSubmit={keep}
      note={`What you change here changes in all environments that have ${row.key}, once you apply the changes.`}
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
        isSealed={isSealed(row)}
        folders={foldersOf([...rows.values()]).map(({ path }) => path)}
      />
    </PanelFrame>
  )
}

const detailsOf = (row: SecretRow, secret: Secret | undefined): Details => ({
  key: row.key,
  path: row.path,
  tags: secret?.tags.join(', ') ?? '',
  comment: secret?.comment ?? '',
  type: secret?.type ?? 'secret',
  expiresOn: dayOf(secret?.expiresAt),
})
