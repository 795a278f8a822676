import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { CountedListOf } from '../../core/contract/lists.ts'
import { CreateInvite, INVITE_SORTS, Invite, PENDING_INVITES } from '../../core/invites/invite.ts'
import * as invites from '../../core/invites/invites.ts'
import { INVITE_MAILS_TO_ADDRESS } from '../../core/invites/mail-limits.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import {
  ById,
  EmptyBody,
  HoldersOf,
  NoContent,
  PageQuery,
  responses,
  searchAndSort,
} from '../http/responses.ts'

const tags = ['Invites']

const Query = t.Object(
  {
    ...PageQuery.properties,
    ...searchAndSort(INVITE_SORTS, 'Only invites whose e-mail address holds this text'),
    role_id: HoldersOf('invites to'),
  },
  { additionalProperties: true },
)

/** `/v1/members/invites`: pending invites. */
export const invitesRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/members/invites', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor, query }) => invites.list(ctx, actor, query), {
      permission: ['Members', 'read'],
      audit: 'invite.read_refused',
      query: Query,
      response: responses(200, CountedListOf(Invite), 400, 401, 403),
      remember: { not: 'which invites are shown depends on the time' },
      detail: {
        tags,
        summary: 'List invites',
        description: 'The invites that can still be accepted, oldest first unless `sort` is given.',
      },
    })
    .post('/', ({ actor, body }) => invites.create(ctx, actor, body), {
      permission: ['Members', 'create'],
      audit: 'invite.create_refused',
      body: CreateInvite,
      response: responses(201, Invite, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        summary: 'Create an invite',
        description: `Invites an e-mail address to any role without global access, for 14 days. Without a mail gateway the response holds the link to hand over; with one the link is mailed. There can be ${PENDING_INVITES.most} pending invites.`,
      },
    })
    .post('/:id/resend', ({ actor, params }) => invites.resend(ctx, actor, params.id), {
      permission: ['Members', 'create'],
      audit: 'invite.resend_refused',
      params: ById,
      body: EmptyBody,
      response: responses(204, NoContent, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        summary: 'Mail an invite again',
        description: `The mail has the same link, which is valid no longer than before. An invite is mailed again at most once a minute, and ${INVITE_MAILS_TO_ADDRESS} mails of invites go to one address in a day. Without a mail gateway it is refused with 409.`,
      },
    })
    .delete('/:id', ({ actor, params }) => invites.cancel(ctx, actor, params.id), {
      permission: ['Members', 'delete'],
      audit: 'invite.delete_refused',
      params: ById,
      response: responses(204, NoContent, 401, 403, 404),
      detail: {
        tags,
        summary: 'Cancel an invite',
        description: 'The link of a cancelled invite no longer works.',
      },
    })
