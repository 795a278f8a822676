import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { Cell, type CellState, NoCell } from '../components/cell.tsx'
import { Icon } from '../components/icon.tsx'
import type { OpenCount } from './cell-states.ts'
import { type AccessEnvironment, COLUMNS, environmentsOf, type MatrixApp, type MatrixRow } from './matrix.ts'
import { Count } from './open-count.tsx'

/** The places of a block that is selected in a row. */
export type Block = Readonly<{ from: number; to: number }>

type Common = {
  /** The row's number in the matrix. */
  place: number
  /** The place in the row that takes the focus: -1 is the name, null none of them. */
  tabStop: number | null
  onToggle: (id: string) => void
  measure: (element: HTMLElement | null) => void
}

type AppRowProps = Common & {
  app: MatrixApp
  isGrouped: boolean
  /** The states of the cells, as `statesText` gives them. */
  states: string
  canChange: boolean
  count: OpenCount
  blockFrom: number | null
  blockTo: number | null
}

/** An app's row: its environments by type, and those with names of their own. */
export const AppRow = memo(function AppRow(props: AppRowProps) {
  const { app, isGrouped, states, place, tabStop, count, measure, blockFrom, blockTo } = props
  const stateById = new Map(
    states.split(' ').map((state, at) => [environmentsOf(app)[at]?.id, state as CellState] as const),
  )
  const cell = (environment: AccessEnvironment, column: number) => (
    <AccessCell
      {...props}
      environment={environment}
      column={column}
      state={stateById.get(environment.id) ?? 'closed'}
    />
  )
  const classOf = (environment: AccessEnvironment | null | undefined, column: number): string => {
    const state = environment ? stateById.get(environment.id) : undefined
    const isInBlock = blockFrom !== null && blockTo !== null && column >= blockFrom && column <= blockTo
    return `c ${state === 'added' ? 'is-added' : state === 'removed' ? 'is-removed' : ''} ${isInBlock ? 'in-block' : ''}`
  }
  return (
    <tr ref={measure} data-index={place} aria-rowindex={place + 2} className={isGrouped ? 'in' : undefined}>
      <th scope="row">
        <Link
          to="/apps/$appId"
          params={{ appId: app.id }}
          tabIndex={tabStop === -1 ? 0 : -1}
          data-row={place}
          data-column={-1}
        >
          {app.label}
        </Link>
      </th>
      {app.columns.map((environment, column) => (
        <td key={COLUMNS[column]?.type} className={classOf(environment, column)}>
          {environment === null ? <NoCell /> : cell(environment, column)}
        </td>
      ))}
      <td
        className={
          app.others.some((other, at) => classOf(other, COLUMNS.length + at).includes('in-block'))
            ? 'in-block'
            : undefined
        }
      >
        {app.others.length > 0 && (
          <div className="others">
            {app.others.map((environment, at) => (
              <span key={environment.id}>
                {cell(environment, COLUMNS.length + at)}
                <span aria-hidden="true">{environment.name}</span>
              </span>
            ))}
          </div>
        )}
      </td>
      <td className="r num dim nowrap">
        <Count count={count} />
      </td>
    </tr>
  )
}, isSameRow)

/** Counts are made anew each time; they are the same where the states are. */
function isSameRow(before: AppRowProps, after: AppRowProps): boolean {
  const keys = [
    'app',
    'states',
    'place',
    'tabStop',
    'canChange',
    'blockFrom',
    'blockTo',
    'isGrouped',
    'onToggle',
    'measure',
  ] as const
  return keys.every((key) => before[key] === after[key])
}

type AccessCellProps = AppRowProps & { environment: AccessEnvironment; column: number; state: CellState }

function AccessCell({
  app,
  environment,
  column,
  state,
  place,
  tabStop,
  canChange,
  onToggle,
}: AccessCellProps) {
  const label = COLUMNS[column]?.label
  const isRenamed = label !== undefined && environment.name.toLowerCase() !== label.toLowerCase()
  const cell = (
    <Cell
      state={state}
      label={`${app.name}, ${environment.name}`}
      tabIndex={tabStop === column ? 0 : -1}
      data-row={place}
      data-column={column}
      {...(canChange ? { onToggle: () => onToggle(environment.id) } : {})}
    />
  )
  if (!isRenamed) return cell
  return (
    <span className="renamed">
      {cell}
      <span aria-hidden="true">{environment.name}</span>
    </span>
  )
}

type GroupRowProps = Common & {
  row: MatrixRow & { kind: 'group' }
  counts: readonly OpenCount[]
  all: OpenCount
  onToggleGroup: (name: string) => void
}

/** A group's row: collapsed it tells how many are open in each column. */
export function GroupRow({ row, place, tabStop, counts, all, onToggleGroup, measure }: GroupRowProps) {
  return (
    <tr ref={measure} data-index={place} aria-rowindex={place + 2} className="group">
      <th scope="row">
        <button
          type="button"
          aria-expanded={row.isOpen}
          tabIndex={tabStop === null ? -1 : 0}
          data-row={place}
          data-column={-1}
          onClick={() => onToggleGroup(row.name)}
        >
          <Icon name={row.isOpen ? 'down' : 'right'} small />
          {row.name} <span className="faint font-normal">{row.apps.length} apps</span>
        </button>
      </th>
      {counts.map((count, column) => (
        <td key={COLUMNS[column]?.type} className="c num">
          {row.isOpen ? null : count.after === 0 && count.before === 0 ? 'none' : <Count count={count} />}
        </td>
      ))}
      <td />
      <td className="r num nowrap">
        <Count count={all} />
      </td>
    </tr>
  )
}
