import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Entry } from '../../../core/audit/entry.ts'
import { answer, api } from '../api/client.ts'

export type EntryPage = { data: Entry[]; nextCursor?: string | null }

const PAGE = 50

/** One page of the audit log, newest first: the next one that has entries, if any has. */
export async function readEntries(
  query: Record<string, string | number>,
  signal?: AbortSignal,
): Promise<EntryPage> {
  const page: EntryPage = await answer(
    api.v1.logs.audit.get({ query: query as never, fetch: { signal: signal ?? null } }),
  )
  if (page.data.length > 0 || page.nextCursor == null) return page
  return await readEntries({ ...query, cursor: page.nextCursor }, signal)
}

/** The audit log with these filters, page after page. */
export const entriesQuery = (query: Record<string, string>) =>
  infiniteQueryOptions({
    queryKey: ['audit', query],
    queryFn: ({ pageParam, signal }) =>
      readEntries({ ...query, limit: PAGE, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor ?? null,
  })

/** One entry by its id and its time, whatever the filters; null where there is none, or not for the viewer. */
export const entryQuery = (id: string, timestamp: string) =>
  queryOptions({
    queryKey: ['audit', 'entry', id, timestamp],
    queryFn: async ({ signal }) => {
      const at = Date.parse(timestamp)
      // Stored times are finer than a millisecond.
      const range = { from: new Date(at).toISOString(), to: new Date(at + 1).toISOString(), limit: 200 }
      return (await readEntries(range, signal)).data.find((entry) => entry.id === id) ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
