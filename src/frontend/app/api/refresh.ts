import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

/** How often a page asks again for what others change. Pages that are out of sight don't ask. */
export const REFRESH_MS = 20_000

type Paged = { state: { data?: { pages: readonly { data: readonly unknown[] }[] } | undefined } }

/** Asks again while a list is one page: each further page would take a request of its own. */
export const whileOnePage = ({ state }: Paged): number | false =>
  (state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS

/** Asks again while a list is empty: somebody waits for what it will show. */
export const whileEmpty = ({ state }: Paged): number | false =>
  state.data?.pages[0]?.data.length === 0 ? REFRESH_MS : false

/** Calls back when what a page has read is no longer what it was; null is not compared. */
export function useChanges(read: unknown, onChange: () => void): void {
  const latest = useRef(onChange)
  latest.current = onChange
  const before = useRef(read)
  useEffect(() => {
    if (read == null) return
    if (before.current != null && before.current !== read) latest.current()
    before.current = read
  }, [read])
}

/** Reads the numbers in the side bar and in links anew when what a page has read is no longer what it was. */
export function useCountsWith(read: unknown): void {
  const queryClient = useQueryClient()
  useChanges(read, () => {
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === 'count' })
  })
}
