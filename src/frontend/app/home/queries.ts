import { queryOptions } from '@tanstack/react-query'
import type { EventType } from '../../../core/audit/events.ts'
import { type AnswerOf, answer, api } from '../api/client.ts'
import { REFRESH_MS } from '../api/refresh.ts'
import { readEntries } from '../audit/queries.ts'

/** What needs somebody's attention, of what the viewer may read. */
export const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: () => answer(api.v1.attention.get()),
  staleTime: 30_000,
  // Who comes back to the page has dealt with something, or expects somebody.
  refetchOnMount: 'always',
  refetchInterval: REFRESH_MS,
})

export type Attention = AnswerOf<typeof api.v1.attention.get>

/** The last changes in the audit log: what only read something, or signed in, is left to the log itself. */
export const latestQuery = queryOptions({
  queryKey: ['audit', 'latest'],
  refetchOnMount: 'always',
  queryFn: async () => {
    const { data } = await readEntries({ outcome: 'done', limit: 100 })
    return data.filter(({ eventType }) => !NO_CHANGES.has(eventType)).slice(0, 10)
  },
})

const NO_CHANGES: ReadonlySet<string> = new Set<EventType>(['secret.read', 'user.signed_in', 'session.ended'])
