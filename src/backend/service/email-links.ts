import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import * as emailLinks from '../../core/links/email-links.ts'
import { forgotPassword, RequestLink, resendVerification } from '../../core/links/link-requests.ts'
import { deviceCookie, readDeviceCookies } from '../http/cookies.ts'
import type { RequestStates } from '../http/requests.ts'
import { NoContent, responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Sign-in']
const { ResetPassword, LinkToken } = emailLinks

/** `/service/auth/`: requesting links by mail, and using them. */
export const emailLinksRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth', normalize: false })
    .use(sessionGuard(ctx, requests))
    .post(
      '/password/forgot',
      async ({ body, request }) => {
        await forgotPassword(ctx, body.email, requests.of(request).source)
      },
      {
        public: 'passwordAuth',
        body: RequestLink,
        response: responses(204, NoContent, 400, 403, 413, 415, 501),
        detail: {
          tags,
          summary: 'Request a password reset',
          description:
            'Mails a link, valid for an hour, that sets a new password. The response is the same whether or not there is such an account; without a mail gateway nothing is sent.',
        },
      },
    )
    .post(
      '/password/reset',
      async ({ body, request, set }) => {
        const { source } = requests.of(request)
        const reset = await emailLinks.resetPassword(
          ctx,
          body,
          source,
          readDeviceCookies(ctx.config, request),
        )
        set.headers['set-cookie'] = deviceCookie(ctx.config, reset.deviceCookie)
      },
      {
        public: 'passwordAuth',
        body: ResetPassword,
        response: responses(204, NoContent, 400, 403, 404, 413, 415, 501),
        detail: {
          tags,
          summary: 'Set a new password',
          description:
            'Uses the link that was mailed. Ends all sessions of the account and voids its device cookies. Personal access tokens keep working unless `revoke_tokens` is true.',
        },
      },
    )
    .post(
      '/email/verify',
      async ({ body, request }) => {
        await emailLinks.verifyEmail(ctx, body.token, requests.of(request).source)
      },
      {
        public: true,
        body: LinkToken,
        response: responses(204, NoContent, 400, 403, 404, 413, 415),
        detail: {
          tags,
          summary: 'Verify an e-mail address',
          description: 'Uses the link that was mailed after the registration; it is valid for 24 hours.',
        },
      },
    )
    .post(
      '/email/resend',
      async ({ body, request }) => {
        await resendVerification(ctx, body.email, requests.of(request).source)
      },
      {
        public: true,
        body: RequestLink,
        response: responses(204, NoContent, 400, 403, 413, 415),
        detail: {
          tags,
          summary: 'Mail the verification link again',
          description:
            'The response is the same whether or not an account needs it; at most one mail a minute. Without a mail gateway nothing is sent.',
        },
      },
    )
