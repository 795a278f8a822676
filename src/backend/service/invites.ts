import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import * as acceptance from '../../core/invites/acceptance.ts'
import { UseLink } from '../../core/links/email-links.ts'
import type { Requests } from '../http/requests.ts'
import { answers } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Invites']

/** `/service/auth/invites/`: what whoever is invited does with the link. */
export const inviteLinksRoutes = (ctx: Context, requests: Requests) =>
  new Elysia({ prefix: '/service/auth/invites', normalize: false })
    .use(sessionGuard(ctx, requests))
    .post('/lookup', ({ body }) => acceptance.lookup(ctx, body.token), {
      visitor: 'anyone',
      body: UseLink,
      response: answers(200, acceptance.Offer, 400, 403, 404, 413, 415),
      detail: {
        tags,
        summary: 'Look up an invite',
        description: 'Whom a link invites, and to which organisation.',
      },
    })
    .post('/accept', ({ body, caller }) => acceptance.accept(ctx, caller, body.token), {
      signedIn: 'session',
      audit: 'invite.accept_refused',
      body: UseLink,
      response: answers(200, acceptance.Accepted, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        summary: 'Accept an invite',
        description: 'Makes the signed-in account, whose address must be the invited one, a member.',
      },
    })
