import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, answer, api } from '../api/client.ts'
import { pagedQuery } from '../api/paging.ts'
import { whileOnePage } from '../api/refresh.ts'

/** How many invites are open. */
export const inviteCountQuery = queryOptions({
  queryKey: ['invites', 'count'],
  queryFn: async () => (await answer(api.v1.members.invites.get({ query: { limit: 1 } }))).total ?? null,
  staleTime: 30_000,
})

/** The open invites, newest first. Who accepts one is noticed. */
export const invitesQuery = {
  ...pagedQuery(
    ['invites', 'list'],
    (page) => answer(api.v1.members.invites.get({ query: { ...page, sort: '-created_at' } })),
    100,
  ),
  refetchInterval: whileOnePage,
}

/** Invites an address to a role. */
export const invite = (email: string, roleId: string) =>
  answer(api.v1.members.invites.post({ email, role_id: roleId }))

/** Mails an invite again. */
export const resend = (id: string) => answer(api.v1.members.invites({ id }).resend.post({}))

/** Withdraws an invite: its link no longer works. */
export const withdraw = (id: string) => answer(api.v1.members.invites({ id }).delete({}))

export type Invite = AnswerOf<typeof api.v1.members.invites.get>['data'][number]
