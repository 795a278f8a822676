import { type Range, useVirtualizer, useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'

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

/** The rows to draw, and the height of those before and after them. */
type DrawnRows = {
  indexes: readonly number[]
  gaps: ReadonlyMap<number, number>
  end: number
}

type VirtualRows = DrawnRows & {
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
    rangeExtractor: (range) => {
      const indexes = inBlocks(range)
      if (pinned === null || pinned >= count || indexes.includes(pinned)) return indexes
      return [...indexes, pinned].sort((a, b) => a - b)
    },
  })
  const latest = useRef<Virtualizer<HTMLElement, Element>>(virtualizer)
  latest.current = virtualizer
  // Rows compare their properties: these stay the same.
  const measure = useCallback((element: HTMLElement | null) => latest.current.measureElement(element), [])
  const scrollTo = useCallback((index: number) => latest.current.scrollToIndex(index, { align: 'auto' }), [])
  return isWhole ? whole(count) : { ...spread(virtualizer, 0), measure, scrollTo }
}

/** The same for a table that scrolls with the page and whose rows are all as high as the first; `body` holds them. */
export function usePageVirtualRows({
  count,
  body,
  rowHeight,
}: Pick<VirtualRowsOptions, 'count' | 'rowHeight'> & { body: RefObject<HTMLElement | null> }): DrawnRows {
  const isWhole = count <= FEWEST_ROWS
  const [{ top, height }, setPlace] = useState({ top: 0, height: rowHeight })
  const virtualizer = useWindowVirtualizer({
    count,
    enabled: !isWhole,
    estimateSize: () => height,
    scrollMargin: top,
    rangeExtractor: inBlocks,
  })
  // What stands above the rows, and their height, change with the width of the page, not while it scrolls.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of rows, too
  useLayoutEffect(() => {
    const place = () => {
      if (body.current === null) return
      const row = body.current.querySelector('tr:not(.gap)')
      setPlace({
        top: body.current.getBoundingClientRect().top + scrollY,
        height: row?.getBoundingClientRect().height ?? rowHeight,
      })
    }
    place()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }, [body, count, rowHeight])
  // The virtualizer keeps the heights that it was told first.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new height
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, height])
  return isWhole ? whole(count) : spread(virtualizer, top)
}

/** The rows in sight and the blocks around them. Rows come and go in blocks: most frames of a scroll change nothing. */
function inBlocks({ startIndex, endIndex, count }: Range): number[] {
  const first = Math.max(0, Math.floor(startIndex / BLOCK) - 1) * BLOCK
  const last = Math.min(count, (Math.floor(endIndex / BLOCK) + 2) * BLOCK)
  return Array.from({ length: last - first }, (_, place) => first + place)
}

const BLOCK = 6

type Measured = Pick<Virtualizer<Window, Element>, 'getVirtualItems' | 'getTotalSize'>

function spread(virtualizer: Measured, top: number): DrawnRows {
  const items = virtualizer.getVirtualItems()
  const gaps = new Map<number, number>()
  let bottom = top
  for (const item of items) {
    if (item.start - bottom > 0.5) gaps.set(item.index, item.start - bottom)
    bottom = item.end
  }
  const end = Math.max(0, virtualizer.getTotalSize() + top - bottom)
  return { indexes: items.map(({ index }) => index), gaps, end }
}

const whole = (count: number): VirtualRows => ({
  indexes: Array.from({ length: count }, (_, place) => place),
  gaps: new Map(),
  end: 0,
  measure: nothing,
  scrollTo: nothing,
})

/** Stands for rows that are out of sight. */
export const Gap = ({ height, columns }: { height: number; columns: number }) =>
  height > 0 ? (
    <tr aria-hidden="true" className="gap">
      <td colSpan={columns} style={{ height }} />
    </tr>
  ) : null

const nothing = () => {}
