import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useRef } from 'react'

/** Below this, all rows are drawn: searching in the page finds them, and nothing has to be measured. */
const FEWEST_ROWS = 60

type VirtualRowsOptions = {
  count: number
  /** The element that scrolls. */
  frame: RefObject<HTMLElement | null>
  /** About how high a row is. */
  rowHeight: number
  /** A row that is always drawn: the one that has the focus. */
  pinned?: number | null
}

type VirtualRows = {
  /** The rows to draw, and the height of those before and after them. */
  indexes: readonly number[]
  gaps: ReadonlyMap<number, number>
  end: number
  measure: (element: HTMLElement | null) => void
  scrollTo: (index: number) => void
}

/** Which rows of a long table are to be drawn: those in sight, and a few around them. Short tables are drawn whole. */
export function useVirtualRows({ count, frame, rowHeight, pinned = null }: VirtualRowsOptions): VirtualRows {
  const isWhole = count <= FEWEST_ROWS
  const virtualizer = useVirtualizer({
    count,
    enabled: !isWhole,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range)
      if (pinned === null || pinned >= count || indexes.includes(pinned)) return indexes
      return [...indexes, pinned].sort((a, b) => a - b)
    },
  })
  const latest = useRef<Virtualizer<HTMLElement, Element>>(virtualizer)
  latest.current = virtualizer
  // Rows compare their properties: this one stays the same.
  const measure = useCallback((element: HTMLElement | null) => latest.current.measureElement(element), [])
  const scrollTo = useCallback((index: number) => latest.current.scrollToIndex(index, { align: 'auto' }), [])
  if (isWhole) return { indexes: range(count), gaps: new Map(), end: 0, measure: nothing, scrollTo: nothing }

  const items = virtualizer.getVirtualItems()
  const gaps = new Map<number, number>()
  let bottom = 0
  for (const item of items) {
    if (item.start - bottom > 0.5) gaps.set(item.index, item.start - bottom)
    bottom = item.end
  }
  return {
    indexes: items.map(({ index }) => index),
    gaps,
    end: Math.max(0, virtualizer.getTotalSize() - bottom),
    measure,
    scrollTo,
  }
}

/** Stands for rows that are out of sight. */
export const Gap = ({ height, columns }: { height: number; columns: number }) =>
  height > 0 ? (
    <tr aria-hidden="true" className="gap">
      <td colSpan={columns} style={{ height }} />
    </tr>
  ) : null

const nothing = () => {}
const range = (count: number): number[] => Array.from({ length: count }, (_, place) => place)
