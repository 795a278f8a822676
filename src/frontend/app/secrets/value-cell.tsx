import { CopyButton } from '../components/copy-field.tsx'
import { Icon } from '../components/icon.tsx'
import { Badge } from '../components/pieces.tsx'
import { draftedSecret, draftKey } from './drafts.ts'
import { useGrid } from './grid.ts'
import type { Secret } from './secret.ts'
import type { NamedEnvironment, SecretRow } from './secret-rows.ts'
import { ValueEditor } from './value-editor.tsx'
import { ValueText } from './value-text.tsx'

type ValueCellProps = {
  row: SecretRow
  environment: NamedEnvironment
  letter: string | undefined
  /** Where the cell stands in the grid: arrows go from one to the next. */
  place: { row: number; column: number; isCurrent: boolean }
}

/** A secret's value in one environment: hidden until it is asked for, missing, being edited, or changed and kept. */
export function ValueCell({ row, environment, letter, place }: ValueCellProps) {
  const grid = useGrid()
  const cell = draftKey(environment.id, row.name)
  const stored = row.cells.get(environment.id)
  const draft = grid.drafts.get(cell)
  const secret = draftedSecret(stored, draft)
  const mayEdit = stored === undefined ? grid.may.create : grid.may.update
  const isMissing = secret === null && draft === undefined
  if (grid.editing === cell) {
    return (
      <td className="edit">
        <ValueEditor row={row} environment={environment} />
      </td>
    )
  }
  const isShown = secret?.type === 'config' || grid.isShown(cell)
  const open = () =>
    isMissing || secret?.type === 'sealed' || isShown ? mayEdit && grid.edit(cell) : grid.toggle(cell)
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid takes the focus itself
      role="gridcell"
      className={classOf(isMissing, draft?.isDeleted === true, draft !== undefined)}
      tabIndex={place.isCurrent ? 0 : -1}
      data-cell={cell}
      data-row={place.row}
      data-column={place.column}
      data-editable={mayEdit || undefined}
      onClick={(event) => (event.target as Element).closest('a,button') === null && open()}
      onKeyDown={(event) => {
        if (event.target !== event.currentTarget) return
        if (event.key === 'Enter' && mayEdit && !event.metaKey && !event.ctrlKey) grid.edit(cell)
        else if (event.key === ' ' && !isMissing && secret?.type !== 'sealed') grid.toggle(cell)
        else return
        event.preventDefault()
      }}
    >
      {isMissing ? (
        <div className="v">
          <span>missing</span>
          {mayEdit && <Icon name="plus" small />}
        </div>
      ) : (
        <div className="v">
          <Letter letter={letter} />
          <Value
            secret={secret}
            isShown={isShown}
            environment={environment}
            isNew={draft?.change.value !== undefined}
          />
          {stored?.override?.isActive === true && isShown && <OwnValue value={stored.override.value} />}
        </div>
      )}
    </td>
  )
}

const classOf = (isMissing: boolean, isDeleted: boolean, isChanged: boolean): string =>
  isMissing ? 'miss' : isDeleted ? 'is-removed' : isChanged ? 'is-added' : ''

const Letter = ({ letter }: { letter: string | undefined }) => (
  <b className={`eq ${letter === undefined || letter === 'A' ? '' : letter === 'B' ? 'B' : 'C'}`}>
    {letter !== undefined && <span className="vh">value </span>}
    {letter}
  </b>
)

type ValueProps = {
  secret: Partial<Secret> | null
  isShown: boolean
  isNew: boolean
  environment: NamedEnvironment
}

function Value({ secret, isShown, isNew, environment }: ValueProps) {
  if (secret === null) return <span className="dim small">will be deleted</span>
  if (secret.type === 'sealed') {
    return (
      <span className="val faint">
        <Icon name="lock" small />
        <span className="vh">sealed{isNew && ', with a new value'}</span>
      </span>
    )
  }
  if (!isShown) {
    return (
      <span className="val">
        <span className="dots" aria-hidden="true">
          ••••••••
        </span>
        <span className="vh">{isNew ? 'new value, hidden' : 'hidden'}</span>
      </span>
    )
  }
  return (
    <>
      <ValueText value={secret.value ?? ''} environment={environment} />
      <CopyButton
        className="copy-cell"
        text={secret.value ?? ''}
        what={`${secret.key} of ${environment.name}`}
        secret
      />
    </>
  )
}

const OwnValue = ({ value }: { value: string }) => (
  <span className="own">
    <Badge tone="accent">yours</Badge> <span className="val">{value}</span>
  </span>
)
