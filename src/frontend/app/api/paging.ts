import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryKey,
  useInfiniteQuery,
} from '@tanstack/react-query'

/** How many entries of a list are asked for at once. */
const PAGE = 50

type ListPage<T> = { data: T[]; nextCursor?: string | null; total?: number }

/** A list that is loaded page by page: `fetchPage` asks for the page after a cursor. */
export const pagedQuery = <T>(
  queryKey: QueryKey,
  fetchPage: (page: { limit: number; cursor?: string }) => Promise<ListPage<T>>,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) =>
      fetchPage({ limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor ?? null,
    placeholderData: keepPreviousData,
  })

/** What has been loaded of a list, how many there are in all, and how many are left. */
export function usePagedList<T>(query: ReturnType<typeof pagedQuery<T>>) {
  const { data, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage } = useInfiniteQuery(query)
  const rows = data?.pages.flatMap((page) => page.data) ?? []
  const total = data?.pages[0]?.total ?? null
  return {
    rows,
    total,
    error,
    isPending,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    left: total === null ? null : Math.max(0, total - rows.length),
    loadMore: () => void fetchNextPage(),
  }
}
