import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type AnswerOf, answer, api, ifMatch, taggedAnswer } from '../api/client.ts'
import { isStatus } from '../api/errors.ts'
import type { MembersSearch } from './search.ts'

export const FIRST_PAGE = 100
export const NEXT_PAGES = 200

/** The members that the address asks for, page by page. */
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
  })

export type Member = AnswerOf<typeof api.v1.members.get>['data'][number]

/** One member, with the ETag that a change of it names. */
export const memberQuery = (id: string) =>
  queryOptions({ queryKey: ['members', id], queryFn: () => taggedAnswer(api.v1.members({ id }).get()) })

export type RoleReference = { id: string; name: string }
export type MemberRef = { id: string; fullName: string; email: string; role: RoleReference }

/** Thrown where a member holds another role by now than the reader was shown. */
export class RoleWasChanged extends Error {
  constructor(
    readonly member: MemberRef,
    readonly roleNow: RoleReference,
  ) {
    super(`The role of ${nameOf(member)} was changed meanwhile: it is ${roleNow.name} now.`)
  }
}

const ATTEMPTS = 3

/** Gives a member another role, as long as it holds the one that was shown. */
export const changeRole = (member: MemberRef, roleId: string) =>
  whileAsShown(member, (etag) =>
    answer(api.v1.members({ id: member.id }).put({ role_id: roleId }, ifMatch(etag))),
  )

/** Removes a member, as long as it holds the role that was shown. */
export const removeMember = (member: MemberRef) =>
  whileAsShown(member, (etag) => answer(api.v1.members({ id: member.id }).delete({}, ifMatch(etag))))

/**
 * Changes a member that is as it was shown. Its ETag also changes when the member is seen: that is no reason to refuse, so
 * the member is read again, and only another role ends the attempt.
 */
async function whileAsShown<T>(member: MemberRef, change: (etag: string) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const { data, etag } = await taggedAnswer(api.v1.members({ id: member.id }).get())
    if (data.role.id !== member.role.id) throw new RoleWasChanged(member, data.role)
    try {
      return await change(etag)
    } catch (error) {
      if (!isStatus(error, 412) || attempt === ATTEMPTS) throw error
    }
  }
}

/** What to call a member: by its name, or else by its address. */
export const nameOf = ({ fullName, email }: { fullName: string; email: string }): string =>
  fullName === '' ? email : fullName

/** The first word of a name. */
export const firstNameOf = (member: { fullName: string; email: string }): string =>
  member.fullName.split(' ')[0] || member.email
