import { type KeyboardEvent, useRef, useState } from 'react'

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}

/** The keys of a table of cells, which has one tab stop: arrows go from cell to cell, Home and End to the ends of a row. */
export function useCellKeys() {
  const frame = useRef<HTMLTableElement>(null)
  const [stop, setStop] = useState({ row: 0, column: 0 })
  const cellAt = (row: number, column: number) =>
    frame.current?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`) ?? null
  const onKeyDown = (event: KeyboardEvent) => {
    const { row, column } = (event.target as HTMLElement).dataset
    if (row === undefined || column === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    const from = [Number(row), Number(column)] as const
    const found =
      event.key === 'Home' || event.key === 'End'
        ? atEnd(cellAt, from[0], event.key === 'End')
        : next(cellAt, from, event.key)
    if (found === null) return
    event.preventDefault()
    found.focus()
    found.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  const onFocus = (event: { target: EventTarget }) => {
    const { row, column } = (event.target as HTMLElement).dataset
    if (row !== undefined && column !== undefined) setStop({ row: Number(row), column: Number(column) })
  }
  return { table: { ref: frame, onKeyDown, onFocus }, stop }
}

type CellAt = (row: number, column: number) => HTMLElement | null

const COLUMNS = 4
const REACH = 40

/** The next cell in a key's direction, over places without one. */
function next(cellAt: CellAt, [row, column]: readonly [number, number], key: string): HTMLElement | null {
  const move = MOVES[key]
  if (move === undefined) return null
  for (let step = 1; step < REACH; step++) {
    const found = cellAt(row + move[0] * step, column + move[1] * step)
    if (found !== null) return found
  }
  return null
}

function atEnd(cellAt: CellAt, row: number, last: boolean): HTMLElement | null {
  const columns = Array.from({ length: COLUMNS }, (_, column) => (last ? COLUMNS - 1 - column : column))
  return columns.map((column) => cellAt(row, column)).find((cell) => cell !== null) ?? null
}
