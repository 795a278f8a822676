import { type KeyboardEvent, useRef, useState } from 'react'

/** The grid is one stop of the Tab key; arrows, Home and End go from cell to cell. */
export function useArrows(rowCount: number, columnCount: number, scrollTo: (row: number) => void) {
  const [at, setAt] = useState({ row: 0, column: 0 })
  // Keys may come faster than rows that scroll into sight are drawn.
  const latest = useRef(at)
  const current = { row: Math.min(at.row, Math.max(0, rowCount - 1)), column: at.column }
  const moveTo = (place: { row: number; column: number }) => {
    latest.current = place
    setAt(place)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    if (!isPlace(event.target) || event.metaKey || event.ctrlKey || event.altKey) return
    const next = nextPlace(event.key, latest.current, rowCount, columnCount)
    if (next === null) return
    event.preventDefault()
    moveTo(next)
    scrollTo(next.row)
    focusCell(event.currentTarget, () => latest.current)
  }
  const onFocus = ({ target }: { target: EventTarget }) => {
    if (isPlace(target)) moveTo({ row: Number(target.dataset.row), column: Number(target.dataset.column) })
  }
  return { current, onKeyDown, onFocus }
}

const isPlace = (target: EventTarget): target is HTMLElement =>
  target instanceof HTMLElement && target.dataset.row !== undefined

/** Focuses a cell as soon as it is drawn, unless another one is wanted by then. */
function focusCell(
  table: HTMLTableElement,
  wanted: () => { row: number; column: number },
  attempts = 10,
): void {
  const { row, column } = wanted()
  const cell = table.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`)
  if (cell !== null) cell.focus()
  else if (attempts > 0) requestAnimationFrame(() => focusCell(table, wanted, attempts - 1))
}

function nextPlace(
  key: string,
  { row, column }: { row: number; column: number },
  rows: number,
  columns: number,
) {
  const moves: Record<string, [row: number, column: number]> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [row, 0],
    End: [row, columns],
    PageUp: [row - 10, column],
    PageDown: [row + 10, column],
  }
  const move = moves[key]
  if (move === undefined) return null
  return { row: Math.max(0, Math.min(rows - 1, move[0])), column: Math.max(0, Math.min(columns, move[1])) }
}
