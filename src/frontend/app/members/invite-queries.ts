import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type AnswerOf, answer, api } from '../api/client.ts'

/** How many invites are open. */
export const inviteCountQuery = queryOptions({
  queryKey: ['invites', 'count'],
  queryFn: async () => (await answer(api.v1.members.invites.get({ query: { limit: 1 } }))).total ?? null,
  staleTime: 30_000,
})

/** The open invites, newest first. */
export const invitesQuery = infiniteQueryOptions({
  queryKey: ['invites', 'list'],
  queryFn: ({ pageParam: cursor }) =>
    answer(
      api.v1.members.invites.get({
        query: { limit: 100, sort: '-created_at', ...(cursor !== null && { cursor }) },
      }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.nextCursor ?? null,
})

/** Invites an address to a role. */
export const invite = (email: string, roleId: string) =>
  answer(api.v1.members.invites.post({ email, role_id: roleId }))

/** Mails an invite again. */
export const resend = (id: string) => answer(api.v1.members.invites({ id }).resend.post({}))

/** Cancels an invite: its link no longer works. */
export const cancel = (id: string) => answer(api.v1.members.invites({ id }).delete({}))

export type Invite = AnswerOf<typeof api.v1.members.invites.get>['data'][number]
