import {
  defaultRangeExtractor,
  useVirtualizer,
  useWindowVirtualizer,
  type Virtualizer,
} from '@tanstack/react-virtual'
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
  // Rows compare their properties: these stay the same.
  const measure = useCallback((element: HTMLElement | null) => latest.current.measureElement(element), [])
  const scrollTo = useCallback((index: number) => latest.current.scrollToIndex(index, { align: 'auto' }), [])
  return isWhole ? whole(count) : { ...spread(virtualizer, 0), measure, scrollTo }
}

/** The same for a table that scrolls with the page; `body` holds its rows. */
export function usePageVirtualRows({
  count,
  body,
  rowHeight,
}: Omit<VirtualRowsOptions, 'frame' | 'pinned'> & { body: RefObject<HTMLElement | null> }): VirtualRows {
  const isWhole = count <= FEWEST_ROWS
  const [top, setTop] = useState(0)
  // What stands above the rows changes with the width of the page and with their number, not while it scrolls.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of rows, too
  useLayoutEffect(() => {
    const place = () => {
      if (body.current !== null) setTop(body.current.getBoundingClientRect().top + scrollY)
    }
    place()
    addEventListener('resize', place)
    return () => removeEventListener('resize', place)
  }, [body, count])
  const virtualizer = useWindowVirtualizer({
    count,
    enabled: !isWhole,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: top,
  })
  const latest = useRef<Virtualizer<Window, Element>>(virtualizer)
  latest.current = virtualizer
  const measure = useCallback((element: HTMLElement | null) => latest.current.measureElement(element), [])
  const scrollTo = useCallback((index: number) => latest.current.scrollToIndex(index, { align: 'auto' }), [])
  return isWhole ? whole(count) : { ...spread(virtualizer, top), measure, scrollTo }
}

type Measured = Pick<Virtualizer<Window, Element>, 'getVirtualItems' | 'getTotalSize'>

function spread(virtualizer: Measured, top: number): Omit<VirtualRows, 'measure' | 'scrollTo'> {
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
