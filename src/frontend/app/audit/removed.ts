import { queryOptions } from '@tanstack/react-query'
import type { Entry } from '../../../core/audit/entry.ts'
import type { SearchOption } from '../components/search-filter.tsx'
import { textIn } from './facts.ts'
import { readEntries } from './queries.ts'

const PAGE = 200
const MOST_PAGES = 5

/** The people and machines that are gone, the last one first, as the entries about their removal name them. */
export const removedQuery = queryOptions({
  queryKey: ['audit', 'removed'],
  queryFn: async ({ signal }): Promise<SearchOption[]> => {
    const people = await entriesOf('member.removed', signal)
    const machines = await entriesOf('service_account.deleted', signal)
    return [
      ...people.flatMap((entry) => optionOf(entry, { icon: 'people', note: 'removed' })),
      ...machines.flatMap((entry) => optionOf(entry, { icon: 'machine', note: 'deleted' })),
    ]
  },
  staleTime: 60_000,
})

async function entriesOf(event_type: string, signal: AbortSignal): Promise<Entry[]> {
  const found: Entry[] = []
  let cursor: string | null = null
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { event_type, limit: PAGE, ...(cursor !== null && { cursor }) }
    const { data, nextCursor = null }: Awaited<ReturnType<typeof readEntries>> = await readEntries(
      query,
      signal,
    )
    found.push(...data)
    cursor = nextCursor
    if (cursor === null) break
  }
  return found
}

function optionOf(
  { resourceId, resourceMetadata }: Entry,
  look: Pick<SearchOption, 'icon' | 'note'>,
): SearchOption[] {
  const name = textIn(resourceMetadata, 'name')
  return resourceId === null || !name ? [] : [{ value: resourceId, label: name, ...look }]
}
