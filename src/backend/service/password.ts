import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { ChangePassword, changePassword } from '../../core/accounts/password-change.ts'
import { Register, Registered, register } from '../../core/accounts/registration.ts'
import { SecondFactorAsked } from '../../core/second-factor/factor.ts'
import { SignedIn, SignIn, signIn } from '../../core/sign-in/sign-in.ts'
import {
  browserCookie,
  deviceCookie,
  endedSessionCookie,
  readDeviceCookies,
  signInBrowser,
  signInCookies,
} from '../http/cookies.ts'
import type { RequestStates } from '../http/requests.ts'
import { NoContent, responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Sign-in']

/** `/service/auth/password/`: register, sign in, change the password; all 403 while password authentication is off. */
export const passwordRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth/password', normalize: false })
    .use(sessionGuard(ctx, requests))
    .post(
      '/register',
      async ({ body, request, set }) => {
        const { source } = requests.of(request)
        const registered = await register(ctx, body, source, readDeviceCookies(ctx.config, request))
        set.headers['set-cookie'] = deviceCookie(ctx.config, registered.deviceCookie)
        return registered.answer
      },
      {
        public: 'passwordAuth',
        body: Register,
        response: responses(201, Registered, 400, 403, 404, 409, 413, 415, 501),
        detail: {
          tags,
          summary: 'Register an account',
          description:
            'The first account of a deployment creates the organisation and becomes its Owner; later accounts are not members until they accept an invite. Sets a device cookie.',
        },
      },
    )
    .post(
      '/login',
      async ({ body, request, set }) => {
        const { source } = requests.of(request)
        const from = signInBrowser(ctx.config, request)
        const outcome = await signIn(ctx, body, source, from)
        if ('asked' in outcome) {
          set.headers['set-cookie'] = browserCookie(ctx.config, from.browser)
          return outcome.asked
        }
        set.headers['set-cookie'] = signInCookies(ctx.config, outcome)
        return outcome.answer
      },
      {
        public: 'passwordAuth',
        body: SignIn,
        response: responses(200, Type.Union([SignedIn, SecondFactorAsked]), 400, 401, 403, 413, 415, 501),
        detail: {
          tags,
          summary: 'Sign in',
          description:
            'Starts a session: a cookie for browsers, and a session token, valid for 15 minutes, for `/v1`; beyond 50 sessions the oldest ends. Sets a device cookie, so that failed attempts of others never lock this browser out. Where the account has a second factor, it starts no session yet: it gives a ticket for `POST /service/auth/second-factor/`.',
        },
      },
    )
    .post(
      '/change',
      async ({ body, caller, request, set }) => {
        const changed = await changePassword(ctx, caller, body, readDeviceCookies(ctx.config, request))
        set.headers['set-cookie'] = [
          endedSessionCookie(ctx.config),
          deviceCookie(ctx.config, changed.deviceCookie),
        ]
      },
      {
        session: 'passwordAuth',
        audit: 'user.update_refused',
        body: ChangePassword,
        response: responses(204, NoContent, 400, 401, 403, 413, 415, 501),
        detail: {
          tags,
          summary: 'Change your password',
          description:
            'Needs the current one, ends all your sessions and voids the device cookies of other browsers. Your personal access tokens keep working unless `revoke_tokens` is true.',
        },
      },
    )
