import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, answer, api } from '../api/client.ts'
import { readEntries } from '../audit/queries.ts'

/** What needs somebody's attention, of what the viewer may read. */
export const attentionQuery = queryOptions({
  queryKey: ['attention'],
  queryFn: () => answer(api.v1.attention.get()),
  staleTime: 30_000,
})

export type Attention = AnswerOf<typeof api.v1.attention.get>

/** The last entries of the audit log. */
export const latestQuery = queryOptions({
  queryKey: ['audit', 'latest'],
  queryFn: async () => (await readEntries({ limit: 10 })).data,
})
