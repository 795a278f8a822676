import { Button } from '../components/button.tsx'
import { CopyButton } from '../components/copy-field.tsx'
import { MoreMenu } from '../components/menu.tsx'
import { draftKey } from './drafts.ts'
import { useGrid } from './grid.ts'
import { menuLabelOf } from './name-cell.tsx'
import type { NamedEnvironment, SecretRow } from './secret-rows.ts'

/** What can be done with a secret in one environment: copy its value, edit it, and change its details. */
export function SecretActs({ row, environment }: { row: SecretRow; environment: NamedEnvironment }) {
  const { may, edit, openDetails } = useGrid()
  const stored = row.cells.get(environment.id)
  if (stored === undefined) return null
  const cell = draftKey(environment.id, row.name)
  return (
    <>
      {stored.type !== 'sealed' && (
        <CopyButton
          className="btn"
          label="Copy value"
          text={stored.value}
          what={`${stored.key} of ${environment.name}`}
          secret
        />
      )}
      {may.update && (
        <>
          {/* The editor gives the focus back to what has the name of its cell. */}
          <Button icon="pencil" data-cell={cell} onClick={() => edit(cell)}>
            Edit
          </Button>
          <MoreMenu
            label={menuLabelOf(row)}
            entries={[
              { label: 'Rename, move, tag, expire…', icon: 'pencil', onClick: () => openDetails(row) },
            ]}
          />
        </>
      )}
    </>
  )
}
