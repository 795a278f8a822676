import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { Session, SessionToken } from '../../core/sessions/session.ts'
import * as sessions from '../../core/sessions/sessions.ts'
import { Methods, methods } from '../../core/sign-in/methods.ts'
import { endedSessionCookie } from '../http/cookies.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, EmptyBody, ListOf, NoContent, PageQuery, responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Sign-in']

/** `/service/auth/`: how to sign in, and one's own sessions. */
export const sessionsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth', normalize: false })
    .use(sessionGuard(ctx, requests))
    .get('/methods', () => methods(ctx), {
      public: true,
      response: responses(200, Methods),
      detail: {
        tags,
        summary: 'How can people sign in?',
        description:
          'The ways to sign in that this deployment offers, and whether it waits for its first account.',
      },
    })
    .post('/session', ({ caller }) => sessions.issueToken(ctx, caller), {
      session: 'cookie',
      audit: 'session.create_refused',
      body: EmptyBody,
      response: responses(200, SessionToken, 400, 401, 403, 413, 415),
      detail: {
        tags,
        summary: 'Get a bearer for your session',
        description: "Turns the session's cookie into another bearer of 15 minutes for `/v1`.",
      },
    })
    .post(
      '/logout',
      async ({ caller, set }) => {
        await sessions.end(ctx, caller, caller.credential.id)
        set.headers['set-cookie'] = endedSessionCookie(ctx.config)
      },
      {
        session: 'any',
        audit: 'session.delete_refused',
        body: EmptyBody,
        response: responses(204, NoContent, 400, 401, 403, 404, 413, 415),
        detail: {
          tags,
          summary: 'Sign out',
          description: 'Ends this session, and with it all its bearers; 404 when it has just been ended.',
        },
      },
    )
    .get('/sessions', ({ caller, query }) => sessions.list(ctx, caller, query), {
      session: 'any',
      audit: 'session.read_refused',
      query: PageQuery,
      response: responses(200, ListOf(Session), 400, 401),
      detail: {
        tags,
        summary: 'List your sessions',
        description: 'Your own sign-ins that are not over, oldest first.',
      },
    })
    .delete(
      '/sessions/:id',
      async ({ caller, params, set }) => {
        await sessions.end(ctx, caller, params.id)
        if (params.id === caller.credential.id) set.headers['set-cookie'] = endedSessionCookie(ctx.config)
      },
      {
        session: 'any',
        audit: 'session.delete_refused',
        params: ById,
        response: responses(204, NoContent, 401, 403, 404, 415),
        detail: {
          tags,
          summary: 'End one of your sessions',
          description: 'Its cookie and its bearers are refused from the next request on.',
        },
      },
    )
