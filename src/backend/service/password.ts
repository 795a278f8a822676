import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { ChangePassword, changePassword } from '../../core/auth/password-change.ts'
import { Register, Registered, register } from '../../core/auth/registration.ts'
import { SignedIn, SignIn, signIn } from '../../core/auth/sign-in.ts'
import type { Requests } from '../requests.ts'
import { answers, NoContent } from '../responses.ts'
import { endedSessionCookie, sessionCookie } from '../session-cookie.ts'
import { sessionGuard } from '../session-guard.ts'

const tags = ['Sign-in']

/** `/service/auth/password/`: registration, sign-in and change of a password; all 403 while switched off. */
export const passwordRoutes = (ctx: Context, requests: Requests) =>
  new Elysia({ prefix: '/service/auth/password', normalize: false })
    .use(sessionGuard(ctx, requests))
    .post(
      '/register',
      ({ body, request }) => register(ctx, body, requests.of(request).origin),
      {
        visitor: 'password',
        body: Register,
        response: answers(201, Registered, 400, 403, 404, 409, 413, 415),
        detail: {
          tags,
          summary: 'Register an account',
          description:
            'The first account of a deployment founds the organisation and is its Owner; later ones belong to none until they accept an invite.',
        },
      },
    )
    .post(
      '/login',
      async ({ body, request, set }) => {
        const { answer, cookie } = await signIn(ctx, body, requests.of(request).origin)
        set.headers['set-cookie'] = sessionCookie(ctx.config, cookie)
        return answer
      },
      {
        visitor: 'password',
        body: SignIn,
        response: answers(200, SignedIn, 400, 401, 403, 413, 415),
        detail: {
          tags,
          summary: 'Sign in',
          description: 'Begins a session: a cookie for the browser, and a bearer of 15 minutes for `/v1`.',
        },
      },
    )
    .post(
      '/change',
      async ({ body, caller, set }) => {
        await changePassword(ctx, caller, body)
        set.headers['set-cookie'] = endedSessionCookie(ctx.config)
        set.status = 204
      },
      {
        signedIn: 'password',
        audit: 'user.update_refused',
        body: ChangePassword,
        response: answers(204, NoContent, 400, 401, 403, 413, 415),
        detail: {
          tags,
          summary: 'Change your password',
          description: 'Needs the current one, and ends all your sessions.',
        },
      },
    )
