import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import {
  CompleteSignIn,
  ConfirmTotp,
  Factors,
  FirstRecoveryCodes,
  RecoveryCodes,
  TotpSecret,
} from '../../core/second-factor/factor.ts'
import { overview, renewOwnRecoveryCodes } from '../../core/second-factor/own-factors.ts'
import { completeWithFactor } from '../../core/second-factor/second-factor-sign-in.ts'
import { beginTotp, confirmTotp, removeTotp } from '../../core/second-factor/totp.ts'
import { SignedIn } from '../../core/sign-in/sign-in.ts'
import { signInBrowser, signInCookies } from '../http/cookies.ts'
import type { RequestStates } from '../http/requests.ts'
import { EmptyBody, NoContent, responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Second factor']

/** `/service/auth/`: completing a sign-in with a second factor, and the caller's own factors but passkeys. */
export const secondFactorRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth', normalize: false })
    .use(sessionGuard(ctx, requests))
    .post(
      '/second-factor',
      async ({ body, request, set }) => {
        const { source } = requests.of(request)
        const signedIn = await completeWithFactor(ctx, body, signInBrowser(ctx.config, request), source)
        set.headers['set-cookie'] = signInCookies(ctx.config, signedIn)
        return signedIn.answer
      },
      {
        public: 'passwordAuth',
        body: CompleteSignIn,
        response: responses(200, SignedIn, 400, 401, 403, 404, 413, 415, 501),
        detail: {
          tags,
          summary: 'Complete a sign-in',
          description:
            'Takes the ticket of `POST /service/auth/password/login/`, in the browser that got it, and one of `totp`, `recovery_code` and `passkey`. Answers as a sign-in. Five attempts with one ticket.',
        },
      },
    )
    .get('/second-factor', ({ caller }) => overview(ctx, caller), {
      session: 'factors',
      audit: 'user.read_refused',
      response: responses(200, Factors, 401),
      detail: { tags, summary: 'Get your factors', description: 'What your account has set up.' },
    })
    .post('/totp', ({ caller }) => beginTotp(ctx, caller), {
      session: 'changeFactors',
      audit: 'user.update_refused',
      body: EmptyBody,
      response: responses(200, TotpSecret, 400, 401, 403, 409, 413, 415),
      detail: {
        tags,
        summary: 'Begin with an authenticator app',
        description:
          'Makes a secret for it. It counts once `POST /service/auth/totp/confirm/` has seen a code.',
      },
    })
    .post('/totp/confirm', ({ body, caller }) => confirmTotp(ctx, caller, body), {
      session: 'changeFactors',
      audit: 'user.update_refused',
      body: ConfirmTotp,
      response: responses(200, FirstRecoveryCodes, 400, 401, 403, 404, 413, 415),
      detail: {
        tags,
        summary: 'Confirm the authenticator app',
        description:
          'Takes a code of the app, within 10 minutes, which is then used. Returns recovery codes, or null where the account has some already.',
      },
    })
    .delete('/totp', ({ caller }) => removeTotp(ctx, caller), {
      session: 'changeFactors',
      audit: 'user.update_refused',
      response: responses(204, NoContent, 401, 403, 404, 415),
      detail: {
        tags,
        summary: 'Remove the authenticator app',
        description: 'Ends no session. Without another factor the recovery codes are void.',
      },
    })
    .post('/recovery-codes', ({ caller }) => renewOwnRecoveryCodes(ctx, caller), {
      session: 'changeFactors',
      audit: 'user.update_refused',
      body: EmptyBody,
      response: responses(200, RecoveryCodes, 400, 401, 403, 409, 413, 415),
      detail: {
        tags,
        summary: 'Get new recovery codes',
        description: 'Ten codes, each of which works once instead of another factor. The old ones are void.',
      },
    })
