import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { type AnswerOf, answer, api } from '../api/client.ts'

/** Somebody and an environment that they can open. */
export type Pair = AnswerOf<typeof api.v1.access.get>['data'][number]

/** Who can open the environments of an app, as far as it was read. */
export type PairsOfApp = Readonly<{ appId: string; pairs: readonly Pair[]; nextCursor: string | null }>

const PAGE = 200
const PAGES_AT_ONCE = 5

/** How many pairs of one app are read at once. */
export const PAIRS_AT_ONCE = PAGE * PAGES_AT_ONCE

/** Who can open an app's environments: the first `parts` thousand pairs; those that were read before are not read again. */
export const pairsQuery = (
  queryClient: QueryClient,
  appId: string,
  role: string | undefined,
  parts: number,
) =>
  queryOptions({
    queryKey: ['access', 'pairs', appId, role ?? null, parts] as const,
    queryFn: async ({ signal }): Promise<PairsOfApp> => {
      const before = queryClient.getQueryData<PairsOfApp>(['access', 'pairs', appId, role ?? null, parts - 1])
      const pairs = [...(before?.pairs ?? [])]
      let cursor = before?.nextCursor ?? null
      if (before !== undefined && cursor === null) return before
      for (let page = 0; page < PAGES_AT_ONCE; page++) {
        const read = await readPairs({ appId, role, cursor }, signal)
        pairs.push(...read.data)
        cursor = read.nextCursor ?? null
        if (cursor === null) break
      }
      return { appId, pairs, nextCursor: cursor }
    },
    staleTime: 30_000,
  })

type Asked = { appId?: string | undefined; role?: string | undefined; cursor: string | null }

/** One page of who can open what. */
export const readPairs = ({ appId, role, cursor }: Asked, signal: AbortSignal) =>
  answer(
    api.v1.access.get({
      query: {
        limit: PAGE,
        ...(appId !== undefined && { app_id: appId }),
        ...(role !== undefined && { role_id: role }),
        ...(cursor !== null && { cursor }),
      },
      fetch: { signal },
    }),
  )
