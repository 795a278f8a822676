import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { COLUMNS, environmentAt, type MatrixRow } from './matrix.ts'

/** A place in the matrix: a row, and in it a column; -1 is the row's name. */
export type Place = Readonly<{ row: number; column: number }>

type Selection = Readonly<{ anchor: Place; at: Place }>

type Acts = {
  frame: RefObject<HTMLElement | null>
  scrollTo: (row: number) => void
  onToggleBlock: (ids: readonly string[]) => void
  onToggleGroup: (name: string) => void
}

/**
 * The keys of the matrix, which has one tab stop: arrows go from cell to cell, Home and End along a row, Page Up and Down
 * along a column; with Shift they select a block, which Space opens or closes. Right and Left open and close a group.
 */
export function useMatrixKeys(
  rows: readonly MatrixRow[],
  { frame, scrollTo, onToggleBlock, onToggleGroup }: Acts,
) {
  const [focus, setFocus] = useState<Place>({ row: 0, column: 0 })
  const [selection, setSelection] = useState<Selection | null>(null)
  const isMoving = useRef(false)
  const active = clamped(rows, focus)

  useLayoutEffect(() => {
    if (!isMoving.current) return
    const cell = frame.current?.querySelector<HTMLElement>(
      `[data-row="${active.row}"][data-column="${active.column}"]`,
    )
    if (cell === null || cell === undefined) return
    isMoving.current = false
    cell.focus({ preventScroll: true })
    cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })

  const goTo = (place: Place | null, extend: boolean) => {
    if (place === null) return
    isMoving.current = true
    setSelection(extend ? { anchor: selection?.anchor ?? active, at: place } : null)
    setFocus(place)
    scrollTo(place.row)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[active.row]
    if (event.ctrlKey || event.metaKey || event.altKey || row === undefined || placeOf(event.target) === null)
      return
    if (event.key === ' ' && selection !== null) {
      event.preventDefault()
      onToggleBlock(idsIn(rows, selection))
    } else if (event.key === 'Escape' && selection !== null) {
      event.stopPropagation()
      setSelection(null)
    } else if (row.kind === 'group' && event.key === (row.isOpen ? 'ArrowLeft' : 'ArrowRight')) {
      event.preventDefault()
      onToggleGroup(row.name)
    } else if (event.key in MOVES || PAGES.has(event.key)) {
      event.preventDefault()
      goTo(target(rows, active, focus.column, event.key), event.shiftKey)
    }
  }

  const onFocus = (event: { target: EventTarget }) => {
    const place = placeOf(event.target)
    if (place !== null && (place.row !== active.row || place.column !== active.column)) setFocus(place)
  }

  const onClickCapture = (event: MouseEvent) => {
    const place = placeOf(event.target)
    if (place === null || event.detail === 0) return
    if (!event.shiftKey) return setSelection(null)
    if (place.column < 0) return
    event.preventDefault()
    event.stopPropagation()
    setSelection({ anchor: selection?.anchor ?? active, at: place })
    setFocus(place)
  }

  return {
    active,
    /** The columns that are selected in a row; null for none. */
    blockIn: (row: number) => blockIn(selection, row),
    selected: selection === null ? 0 : idsIn(rows, selection).length,
    clear: useCallback(() => setSelection(null), []),
    handlers: { onKeyDown, onFocus, onClickCapture },
  }
}

const MOVES: Record<string, Readonly<{ row: number; column: number }>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
  PageUp: { row: -10, column: 0 },
  PageDown: { row: 10, column: 0 },
}
const PAGES = new Set(['Home', 'End'])

/**
 * Where a key leads: to the next cell in its direction, over places where an app has no environment. Up and down keep to
 * the column `wanted`, also where rows on the way lack it.
 */
function target(rows: readonly MatrixRow[], from: Place, wanted: number, key: string): Place | null {
  const move = MOVES[key]
  if (move === undefined) {
    const columns = columnsOf(rows[from.row])
    return { row: from.row, column: (key === 'Home' ? columns[0] : columns.at(-1)) ?? -1 }
  }
  if (move.row !== 0) {
    const row = Math.min(rows.length - 1, Math.max(0, from.row + move.row))
    return row === from.row ? null : { row, column: wanted }
  }
  const columns = columnsOf(rows[from.row])
  const next =
    move.column > 0
      ? columns.find((column) => column > from.column)
      : columns.findLast((column) => column < from.column)
  return next === undefined ? null : { row: from.row, column: next }
}

/** The places of a row that can take the focus. */
function columnsOf(row: MatrixRow | undefined): number[] {
  if (row === undefined || row.kind === 'group') return [-1]
  const places = COLUMNS.length + row.app.others.length
  return [
    -1,
    ...Array.from({ length: places }, (_, place) => place).filter(
      (place) => environmentAt(row.app, place) !== null,
    ),
  ]
}

/** The nearest place that exists: rows come and go with filters and groups, and not every app has every environment. */
function clamped(rows: readonly MatrixRow[], { row, column }: Place): Place {
  const nearest = Math.min(row, rows.length - 1)
  const columns = columnsOf(rows[nearest])
  return { row: nearest, column: columns.findLast((other) => other <= column) ?? columns[0] ?? -1 }
}

function idsIn(rows: readonly MatrixRow[], { anchor, at }: Selection): string[] {
  const [first, last] = [Math.min(anchor.row, at.row), Math.max(anchor.row, at.row)]
  const [from, to] = [Math.min(anchor.column, at.column), Math.max(anchor.column, at.column)]
  return rows.slice(first, last + 1).flatMap((row) => {
    if (row.kind === 'group') return []
    const places = Array.from({ length: to - from + 1 }, (_, place) => from + place).filter(
      (place) => place >= 0,
    )
    return places.flatMap((place) => environmentAt(row.app, place)?.id ?? [])
  })
}

function blockIn(selection: Selection | null, row: number): { from: number; to: number } | null {
  if (selection === null) return null
  const { anchor, at } = selection
  if (row < Math.min(anchor.row, at.row) || row > Math.max(anchor.row, at.row)) return null
  return { from: Math.min(anchor.column, at.column), to: Math.max(anchor.column, at.column) }
}

function placeOf(target: EventTarget | null): Place | null {
  const element = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-row]') : null
  if (element === null) return null
  return { row: Number(element.dataset.row), column: Number(element.dataset.column) }
}
