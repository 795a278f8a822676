import type { Entry } from '../../../core/audit/entry.ts'
import { type EntryPage, readEntries } from './queries.ts'

/** An export has at most so many entries: more belong in a client of the API. */
export const MOST_EXPORTED = 10_000
const PAGE = 200

export type Collected = Readonly<{ entries: readonly Entry[]; isComplete: boolean }>

/** The entries with these filters, newest first, from as many pages as it takes; `progress` tells how many there are so far. */
export async function collectEntries(
  query: Record<string, string>,
  signal: AbortSignal,
  progress: (count: number) => void,
): Promise<Collected> {
  const entries: Entry[] = []
  let cursor: string | null | undefined
  do {
    const page: EntryPage = await readEntries(
      { ...query, limit: PAGE, ...(cursor != null && { cursor }) },
      signal,
    )
    entries.push(...page.data)
    progress(entries.length)
    cursor = page.nextCursor
  } while (cursor != null && entries.length < MOST_EXPORTED)
  return {
    entries: entries.slice(0, MOST_EXPORTED),
    isComplete: cursor == null && entries.length <= MOST_EXPORTED,
  }
}
