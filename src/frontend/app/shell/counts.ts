import { queryOptions } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'

/** The lists whose number of entries stands in the side bar. */
export type CountOf = 'members' | 'service-accounts' | 'roles' | 'apps'

/** How many there are of something; null while the server tells no total. */
export const countQuery = (what: CountOf) =>
  queryOptions({
    queryKey: [what, 'count'],
    queryFn: async (): Promise<number | null> =>
      ((await answer(api.v1[what].get({ query: { limit: 1 } }))) as { total?: number }).total ?? null,
    staleTime: 30_000,
  })
