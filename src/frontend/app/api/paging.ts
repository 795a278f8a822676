import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
} from '@tanstack/react-query'

/** How many entries of a list are asked for at once, where the list doesn't say. */
const PAGE = 50

type ListPage<T> = { data: T[]; nextCursor?: string | null; total?: number }

/** A list that is loaded page by page: `fetchPage` asks for the page after a cursor. */
export const pagedQuery = <T>(
  queryKey: QueryKey,
  fetchPage: (page: { limit: number; cursor?: string }) => Promise<ListPage<T>>,
  size = PAGE,
) => ({
  size,
  ...infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) =>
      fetchPage({ limit: size, ...(pageParam === null ? {} : { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor ?? null,
    placeholderData: keepPreviousData,
  }),
})

export type PagedList<T> = ReturnType<typeof usePagedList<T>>

/** What has been loaded of a list, how many there are in all, and how many are left. */
export function usePagedList<T>({ size, ...query }: ReturnType<typeof pagedQuery<T>>) {
  const { data, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage } = useInfiniteQuery(query)
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  const total = data?.pages[0]?.total ?? null
  return {
    rows,
    size,
    total,
    error,
    isPending,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    left: total === null ? null : Math.max(0, total - rows.length),
    loadMore: () => void fetchNextPage(),
  }
}
