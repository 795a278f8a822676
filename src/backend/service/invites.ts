import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import * as acceptance from '../../core/invites/acceptance.ts'
import { LinkToken } from '../../core/links/email-links.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Invites']

/** `/service/auth/invites/`: looking up and accepting an invite. */
export const inviteLinksRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth/invites', normalize: false })
    .use(sessionGuard(ctx, requests))
    .post('/lookup', ({ body }) => acceptance.preview(ctx, body.token), {
      visitor: 'anyone',
      body: LinkToken,
      response: responses(200, acceptance.InvitePreview, 400, 403, 404, 413, 415),
      detail: {
        tags,
        summary: 'Look up an invite',
        description: 'The invited e-mail address and the organisation.',
      },
    })
    .post('/accept', ({ body, caller }) => acceptance.accept(ctx, caller, body.token), {
      signedIn: 'session',
      audit: 'invite.accept_refused',
      body: LinkToken,
      response: responses(200, acceptance.Accepted, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        summary: 'Accept an invite',
        description: 'Makes the signed-in user a member. Its address must be the invited one.',
      },
    })
