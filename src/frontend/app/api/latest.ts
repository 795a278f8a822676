import type { FetchQueryOptions, QueryClient, QueryKey } from '@tanstack/react-query'
import { isStatus } from './errors.ts'

type Tagged<T> = { data: T; etag: string }

const ATTEMPTS = 3

/** Reads something as it is now. An answer that is on its way is not waited for: it may be older than what was just saved. */
export async function readAnew<T, K extends QueryKey>(
  queryClient: QueryClient,
  query: FetchQueryOptions<T, Error, T, K>,
): Promise<T> {
  await queryClient.cancelQueries({ queryKey: query.queryKey, exact: true })
  return queryClient.fetchQuery({ ...query, staleTime: 0 })
}

/**
 * Changes a thing as it is now, and begins again where another change of it came in between. `change` looks at the latest
 * state first, and throws where that is not what its reader was shown.
 */
export async function onLatest<T, R>(
  read: () => Promise<Tagged<T>>,
  change: (latest: T, etag: string) => Promise<R>,
): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    const { data, etag } = await read()
    try {
      return await change(data, etag)
    } catch (error) {
      if (!isStatus(error, 412) || attempt === ATTEMPTS) throw error
    }
  }
}
