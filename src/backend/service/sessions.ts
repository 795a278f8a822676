import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { ListOf } from '../../core/contract/lists.ts'
import { Session, SessionToken } from '../../core/sessions/session.ts'
import * as sessions from '../../core/sessions/sessions.ts'
import { Methods, methods } from '../../core/sign-in/methods.ts'
import { endedSessionCookie } from '../http/cookies.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, EmptyBody, NoContent, PageQuery, responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Sign-in']

/** `/service/auth/`: the ways to sign in, and the caller's own sessions. */
export const sessionsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth', normalize: false })
    .use(sessionGuard(ctx, requests))
    .get('/methods', () => methods(ctx), {
      public: true,
      response: responses(200, Methods),
      detail: {
        tags,
        summary: 'Sign-in methods',
        description:
          'The ways to sign in that this deployment offers, and whether the first account is still to be registered.',
      },
    })
    .post('/session', ({ caller }) => sessions.issueToken(ctx, caller), {
      session: 'cookie',
      audit: 'session.create_refused',
      body: EmptyBody,
      response: responses(200, SessionToken, 400, 401, 403, 413, 415),
      detail: {
        tags,
        summary: 'Get a session token',
        description: 'Creates a session token for `/v1`, valid for 15 minutes, from the session cookie.',
      },
    })
    .post(
      '/logout',
      async ({ caller, set }) => {
        await sessions.end(ctx, caller, caller.credential.id)
        set.headers['set-cookie'] = endedSessionCookie(ctx.config)
      },
      {
        session: 'signOut',
        audit: 'session.delete_refused',
        body: EmptyBody,
        response: responses(204, NoContent, 400, 401, 403, 413, 415),
        detail: {
          tags,
          summary: 'Sign out',
          description: 'Ends this session and its session tokens.',
        },
      },
    )
    .get('/sessions', ({ caller, query }) => sessions.list(ctx, caller, query), {
      session: 'any',
      audit: 'session.read_refused',
      query: PageQuery,
      response: responses(200, ListOf(Session), 400, 401, 403),
      detail: {
        tags,
        summary: 'List your sessions',
        description: 'Your active sessions, oldest first.',
      },
    })
    .delete(
      '/sessions/:id',
      async ({ caller, params, set }) => {
        const { isCurrent } = await sessions.end(ctx, caller, params.id)
        if (isCurrent) set.headers['set-cookie'] = endedSessionCookie(ctx.config)
      },
      {
        session: 'any',
        audit: 'session.delete_refused',
        params: ById,
        response: responses(204, NoContent, 401, 403, 404, 415),
        detail: {
          tags,
          summary: 'End one of your sessions',
          description: 'Its cookie and its session tokens are invalid from the next request on.',
        },
      },
    )
