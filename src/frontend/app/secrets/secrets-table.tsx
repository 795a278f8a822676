import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useMemo, useRef, useState } from 'react'
import { Head } from '../components/table.tsx'
import { draftKey } from './drafts.ts'
import { EnvironmentHead } from './environment-head.tsx'
import { useGrid } from './grid.ts'
import { NameCell } from './name-cell.tsx'
import type { Panel } from './panel-props.ts'
import type { Secret } from './secret.ts'
import { lettersOf, type SecretRow } from './secret-rows.ts'
import { useArrows } from './use-arrows.ts'
import { ValueCell } from './value-cell.tsx'

const ROW_HEIGHT = 37
/** From so many rows on, the table scrolls by itself and keeps its head in place. */
const MANY_ROWS = 40

type SecretsTableProps = {
  rows: readonly SecretRow[]
  /** The selected folder: names say what lies below it. */
  folder: string | undefined
  secrets: ReadonlyMap<string, readonly Secret[]>
  onOpen: (panel: Panel) => void
}

/** The grid: names down, environments across. Only the rows in sight are in the document. */
export function SecretsTable({ rows, folder, secrets, onOpen }: SecretsTableProps) {
  const { environments } = useGrid()
  const frame = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.name ?? index,
    overscan: 6,
    initialRect: { width: 0, height: 800 },
  })
  const arrows = useArrows(rows.length, environments.length, (row) => virtualizer.scrollToIndex(row))
  const items = virtualizer.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <div className={rows.length > MANY_ROWS ? 'scroll-x sec-frame long' : 'scroll-x sec-frame'} ref={frame}>
      <table
        className="matrix sec"
        style={{ '--environments': environments.length } as object}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells take the focus is a grid
        role="grid"
        aria-rowcount={rows.length + 1}
        aria-colcount={environments.length + 1}
        onKeyDown={arrows.onKeyDown}
        onFocus={arrows.onFocus}
      >
        <caption className="vh">
          Secrets {folder === undefined ? 'at all paths' : `at the path ${folder}`}. Values with the same
          letter in a row are the same.
        </caption>
        <thead>
          <tr aria-rowindex={1}>
            <Head>Name</Head>
            {environments.map((environment) => (
              <EnvironmentHead
                key={environment.id}
                environment={environment}
                secrets={secrets.get(environment.id)}
                onOpen={onOpen}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={above} columns={environments.length + 1} />
          {items.map(({ index }) => {
            const row = rows[index]
            return (
              row !== undefined && (
                <Row
                  key={row.name}
                  measure={virtualizer.measureElement}
                  row={row}
                  index={index}
                  folder={folder}
                  current={arrows.current.row === index ? arrows.current.column : null}
                />
              )
            )
          })}
          <Space height={below} columns={environments.length + 1} />
        </tbody>
      </table>
    </div>
  )
}

/** Stands for the rows out of sight. */
const Space = ({ height, columns }: { height: number; columns: number }) =>
  height > 0 && (
    <tr aria-hidden="true" className="space">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )

type RowProps = {
  row: SecretRow
  index: number
  folder: string | undefined
  /** The column of the cell that the Tab key reaches; null in other rows. */
  current: number | null
  measure: (element: Element | null) => void
}

/** A secret. While others scroll into sight, it isn't drawn again. */
const Row = memo(function Row({ row, index, folder, current, measure }: RowProps) {
  const { environments, drafts } = useGrid()
  const [isActive, setActive] = useState(false)
  const letters = useMemo(
    () => lettersOf(withDrafts(row, environments, drafts), environments),
    [row, environments, drafts],
  )
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      onPointerMove={() => setActive(true)}
      onFocus={() => setActive(true)}
    >
      <NameCell
        row={row}
        folder={folder}
        place={{ row: index, column: 0, isCurrent: current === 0 }}
        isActive={isActive}
      />
      {environments.map((environment, column) => (
        <ValueCell
          key={environment.id}
          row={row}
          environment={environment}
          letter={letters.get(environment.id)}
          place={{ row: index, column: column + 1, isCurrent: current === column + 1 }}
        />
      ))}
    </tr>
  )
})

type GridParts = Pick<ReturnType<typeof useGrid>, 'environments' | 'drafts'>

/** The row with the values that are kept but not applied. */
function withDrafts(
  row: SecretRow,
  environments: GridParts['environments'],
  drafts: GridParts['drafts'],
): SecretRow {
  const cells = new Map(row.cells)
  for (const { id } of environments) {
    const draft = drafts.get(draftKey(id, row.name))
    if (draft?.isDeleted) cells.delete(id)
    else if (draft !== undefined)
      cells.set(id, {
        ...(draft.base ?? { type: 'secret' }),
        ...draft.change,
        value: draft.change.value ?? draft.base?.value ?? '',
      } as Secret)
  }
  return { ...row, cells }
}
