import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type AnswerOf, answer, api, ifMatch, taggedAnswer } from '../api/client.ts'
import { onLatest } from '../api/latest.ts'
import { whileOnePage } from '../api/refresh.ts'
import { type RoleReference, RoleWasChanged } from '../roles/role-change.ts'
import { nameOf } from './names.ts'
import type { MembersSearch } from './search.ts'

export const FIRST_PAGE = 100
export const NEXT_PAGES = 200

/** The members that the address asks for, page by page. Who joins and who is given access is noticed. */
export const membersQuery = ({ q, role, access, sort }: MembersSearch) =>
  infiniteQueryOptions({
    queryKey: ['members', 'list', { q, role, access, sort }],
    queryFn: ({ pageParam: cursor, signal }) =>
      answer(
        api.v1.members.get({
          query: {
            limit: cursor === null ? FIRST_PAGE : NEXT_PAGES,
            ...(cursor !== null && { cursor }),
            ...(q !== undefined && { q }),
            ...(role !== undefined && { role_id: role }),
            ...(access !== undefined && { access }),
            ...(sort !== undefined && { sort }),
          },
          fetch: { signal },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor ?? null,
    placeholderData: keepPreviousData,
    refetchInterval: whileOnePage,
  })

export type Member = AnswerOf<typeof api.v1.members.get>['data'][number]

/** One member, with the ETag that a change of it names. */
export const memberQuery = (id: string) =>
  queryOptions({ queryKey: ['members', id], queryFn: () => taggedAnswer(api.v1.members({ id }).get()) })

export type MemberRef = { id: string; fullName: string; email: string; role: RoleReference }

/** Gives a member another role, as long as it holds the one that was shown. */
export const changeRole = (member: MemberRef, roleId: string): Promise<MemberRef> =>
  whileAsShown(member, (etag) =>
    answer(api.v1.members({ id: member.id }).put({ role_id: roleId }, ifMatch(etag))),
  )

/** Removes a member, as long as it holds the role that was shown. */
export const removeMember = (member: MemberRef) =>
  whileAsShown(member, (etag) => answer(api.v1.members({ id: member.id }).delete({}, ifMatch(etag))))

/**
 * Changes a member that is as it was shown. Its ETag also changes when the member is seen: that is no reason to refuse, and
 * only another role ends the attempt.
 */
const whileAsShown = <T>(member: MemberRef, change: (etag: string) => Promise<T>): Promise<T> =>
  onLatest(
    () => taggedAnswer(api.v1.members({ id: member.id }).get()),
    (latest, etag) => {
      if (latest.role.id !== member.role.id) throw new RoleWasChanged(nameOf(member), latest.role)
      return change(etag)
    },
  )
