import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { ListOf } from '../../core/contract/lists.ts'
import { CreateInvite, Invite, PENDING_INVITES } from '../../core/invites/invite.ts'
import * as invites from '../../core/invites/invites.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, NoContent, PageQuery, responses } from '../http/responses.ts'

const tags = ['Invites']

/** `/v1/members/invites`: pending invites. */
export const invitesRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/members/invites', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor, query }) => invites.list(ctx, actor, query), {
      permission: ['Members', 'read'],
      audit: 'invite.read_refused',
      query: PageQuery,
      response: responses(200, ListOf(Invite), 400, 401, 403),
      remember: { not: 'which invites are shown depends on the time' },
      detail: {
        tags,
        summary: 'List invites',
        description: 'The invites that can still be accepted, oldest first.',
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
