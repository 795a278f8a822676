import { Cell, type CellState } from '../components/cell.tsx'
import { Head } from '../components/table.tsx'
import { ACTIONS, type ClassRow, type Level } from './classes.ts'
import { type Key, keyOf } from './draft.ts'
import { useCellKeys } from './use-cell-keys.ts'

export type MatrixProps = {
  before: ReadonlySet<Key>
  allowed: ReadonlySet<Key>
  /** Why the viewer can't add a permission; null where it can. */
  lockOf: (key: Key) => string | null
  /** Absent where nothing can be changed. */
  onToggle?: ((key: Key) => void) | undefined
}

type LevelMatrixProps = MatrixProps & {
  level: Level
  title: string
  holds: string
  rows: readonly ClassRow[]
}

const ACTION_WORDS = { create: 'Create', read: 'Read', update: 'Update', delete: 'Delete' } as const

/** The permissions of one level: classes down, actions across. */
export function LevelMatrix({ level, title, holds, rows, ...matrix }: LevelMatrixProps) {
  const { table, stop } = useCellKeys()
  const first = rows.findIndex((row, place) => place === stop.row && row.actions.length > 0)
  const stopRow = first === -1 ? 0 : stop.row
  return (
    <section aria-labelledby={`level-${level}`}>
      <h2 id={`level-${level}`}>{title}</h2>
      <p className="dim small">{holds}</p>
      <div className="scroll-x">
        <table className="matrix permissions" {...table}>
          <caption className="vh">{title}</caption>
          <thead>
            <tr>
              <Head>Class</Head>
              {ACTIONS.map((action) => (
                <th key={action} scope="col" className="c">
                  {ACTION_WORDS[action]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, place) => (
              <MatrixRow
                key={row.resourceClass}
                row={row}
                place={place}
                stop={place === stopRow ? stop.column : null}
                {...matrix}
              />
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p className="dim mt-3">No class matches.</p>}
    </section>
  )
}

type MatrixRowProps = MatrixProps & { row: ClassRow; place: number; stop: number | null }

function MatrixRow({ row, place, stop, before, allowed, lockOf, onToggle }: MatrixRowProps) {
  const columns = ACTIONS.flatMap((action, column) => (row.actions.includes(action) ? [column] : []))
  const stopColumn = stop === null ? null : columns.includes(stop) ? stop : columns[0]
  return (
    <tr>
      <th scope="row">
        {row.label}
        <span className="covers">{row.covers}</span>
      </th>
      {ACTIONS.map((action, column) => {
        if (!row.actions.includes(action)) return <NoAction key={action} />
        const key = keyOf(row.level, row.resourceClass, action)
        const lock = onToggle === undefined || before.has(key) || allowed.has(key) ? null : lockOf(key)
        const state = stateOf(before.has(key), allowed.has(key), lock !== null)
        return (
          <td key={action} className={`c ${CHANGED[state] ?? ''}`}>
            <Cell
              state={state}
              label={`${action} ${row.label}`}
              words={wordsFor(state, lock)}
              title={lock ?? undefined}
              data-row={place}
              data-column={column}
              tabIndex={column === stopColumn ? 0 : -1}
              {...(onToggle !== undefined && lock === null && { onToggle: () => onToggle(key) })}
            />
          </td>
        )
      })}
    </tr>
  )
}

const CHANGED: Partial<Record<CellState, string>> = { added: 'is-added', removed: 'is-removed' }

const NoAction = () => (
  <td className="c">
    <span className="dash" role="img" aria-label="no such action">
      –
    </span>
  </td>
)

const stateOf = (was: boolean, is: boolean, isLocked: boolean): CellState =>
  was ? (is ? 'open' : 'removed') : is ? 'added' : isLocked ? 'locked' : 'closed'

const wordsFor = (state: CellState, lock: string | null): string => {
  if (lock !== null) return `not allowed. ${lock}`
  if (state === 'added') return 'allowed once you apply'
  if (state === 'removed') return 'not allowed once you apply'
  return state === 'open' ? 'allowed' : 'not allowed'
}
