import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import type { RoleReference } from '../roles/role-change.ts'
import type { Member } from './queries.ts'

type Page = { data: Member[]; total?: number; nextCursor?: string | null }
type Pages = InfiniteData<Page>
type Changed = { id: string; role: RoleReference }

const GLOBAL = new Set(['Owner', 'Admin'])

/**
 * Shows a changed role in the lists that are loaded, in place: the row stays where the reader is looking. What the member
 * can open is read anew where the role decides about it.
 */
export function patchMember(queryClient: QueryClient, changed: Changed): void {
  let isGlobalInvolved = GLOBAL.has(changed.role.name)
  queryClient.setQueriesData<Pages>({ queryKey: ['members', 'list'] }, (pages) =>
    mapMembers(pages, (member) => {
      if (member.id !== changed.id) return member
      isGlobalInvolved ||= member.globalAccess
      return { ...member, role: changed.role }
    }),
  )
  void queryClient.invalidateQueries({ queryKey: ['members', changed.id] })
  void queryClient.invalidateQueries({ queryKey: ['access'], refetchType: 'none' })
  if (isGlobalInvolved) void queryClient.invalidateQueries({ queryKey: ['members', 'list'] })
}

/** Takes removed members out of the lists that are loaded. */
export function forgetMembers(queryClient: QueryClient, ids: ReadonlySet<string>): void {
  queryClient.setQueriesData<Pages>({ queryKey: ['members', 'list'] }, (pages) => {
    if (pages === undefined) return undefined
    return {
      ...pages,
      pages: pages.pages.map((page) => ({
        ...page,
        data: page.data.filter(({ id }) => !ids.has(id)),
        ...(page.total === undefined ? {} : { total: page.total - ids.size }),
      })),
    }
  })
  void queryClient.invalidateQueries({ queryKey: ['members', 'count'] })
  void queryClient.invalidateQueries({ queryKey: ['access'], refetchType: 'none' })
}

function mapMembers(pages: Pages | undefined, change: (member: Member) => Member): Pages | undefined {
  if (pages === undefined) return undefined
  return { ...pages, pages: pages.pages.map((page) => ({ ...page, data: page.data.map(change) })) }
}
