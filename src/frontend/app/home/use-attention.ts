import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { can } from '../api/me.ts'
import { REFRESH_MS, useChanges, useCountsWith } from '../api/refresh.ts'
import { appsQuery } from '../apps/queries.ts'
import { countQuery } from '../shell/counts.ts'
import { useViewer } from '../shell/viewer.ts'
import { attentionRows, givenRow, MOST, OPENS_NOTHING } from './attention-rows.ts'
import { attentionQuery, latestQuery } from './queries.ts'

/** What needs attention, as rows. It is asked for again and again; what changed is then in the other parts of the page, too. */
export function useAttention() {
  const viewer = useViewer()
  const queryClient = useQueryClient()
  const { data, error, isPending } = useQuery(attentionQuery)
  useCountsWith(data)
  useChanges(data, () => void queryClient.invalidateQueries({ queryKey: latestQuery.queryKey }))
  const reader = { id: viewer.id, mayGiveAccess: can(viewer, 'update', 'Members') }
  const given = useGivenApps(!reader.mayGiveAccess && can(viewer, 'read', 'Apps'))
  const rows = data === undefined ? [] : attentionRows(data, new Date(), reader)
  return {
    isRead: data !== undefined,
    isPending,
    error,
    rows: [...given, ...rows.filter((row) => given.length === 0 || row !== OPENS_NOTHING)],
  }
}

/** The apps of somebody who could open none when the page was opened, once they can. */
function useGivenApps(mayWait: boolean) {
  const [hasWaited, setWaited] = useState(false)
  const { data: count } = useQuery({
    ...countQuery('apps'),
    enabled: mayWait,
    refetchInterval: ({ state }) => (state.data === 0 ? REFRESH_MS : false),
  })
  if (mayWait && count === 0 && !hasWaited) setWaited(true)
  const { data } = useInfiniteQuery({ ...appsQuery({}), enabled: hasWaited && count !== 0 })
  return hasWaited ? (data?.pages[0]?.data ?? []).slice(0, MOST).map(givenRow) : []
}
