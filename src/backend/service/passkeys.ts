import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { ListOf } from '../../core/contract/lists.ts'
import {
  AddPasskey,
  AssertionOptions,
  Passkey,
  PasskeySignIn,
  RegistrationOptions,
  RequestAssertion,
} from '../../core/passkeys/passkey.ts'
import { assertionOptions, signInWithPasskey } from '../../core/passkeys/passkey-sign-in.ts'
import * as passkeys from '../../core/passkeys/passkeys.ts'
import { FirstRecoveryCodes } from '../../core/second-factor/factor.ts'
import { SignedIn } from '../../core/sign-in/sign-in.ts'
import { browserCookie, signInBrowser, signInCookies } from '../http/cookies.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, EmptyBody, NoContent, PageQuery, responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Second factor']

/** `/service/auth/passkeys/`: signing in with a passkey, and the caller's own passkeys. */
export const passkeysRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth/passkeys', normalize: false })
    .use(sessionGuard(ctx, requests))
    .post(
      '/options',
      async ({ body, request, set }) => {
        const { browser } = signInBrowser(ctx.config, request)
        const options = await assertionOptions(ctx, body, browser)
        set.headers['set-cookie'] = browserCookie(ctx.config, browser)
        return options
      },
      {
        public: true,
        body: RequestAssertion,
        response: responses(200, AssertionOptions, 400, 403, 404, 413, 415),
        detail: {
          tags,
          summary: 'Ask for a passkey',
          description:
            'A challenge for `navigator.credentials.get`, for this browser: with a ticket to complete a sign-in, without one to sign in without a password, or to confirm a transfer of ownership.',
        },
      },
    )
    .post(
      '/sign-in',
      async ({ body, request, set }) => {
        const { source } = requests.of(request)
        const signedIn = await signInWithPasskey(ctx, body, signInBrowser(ctx.config, request), source)
        set.headers['set-cookie'] = signInCookies(ctx.config, signedIn)
        return signedIn.answer
      },
      {
        public: true,
        body: PasskeySignIn,
        response: responses(200, SignedIn, 400, 401, 403, 413, 415),
        detail: {
          tags,
          summary: 'Sign in with a passkey',
          description: 'Needs no password and no further factor. Answers as a sign-in with a password.',
        },
      },
    )
    .get('/', ({ caller, query }) => passkeys.list(ctx, caller, query), {
      session: 'factors',
      audit: 'user.read_refused',
      query: PageQuery,
      response: responses(200, ListOf(Passkey), 400, 401),
      detail: { tags, summary: 'List your passkeys', description: 'Oldest first.' },
    })
    .post('/registration', ({ caller }) => passkeys.registrationOptions(ctx, caller), {
      session: 'changeFactors',
      audit: 'user.update_refused',
      body: EmptyBody,
      response: responses(200, RegistrationOptions, 400, 401, 403, 413, 415),
      detail: {
        tags,
        summary: 'Begin with a passkey',
        description: 'A challenge for `navigator.credentials.create`, for this session.',
      },
    })
    .post('/', ({ body, caller }) => passkeys.add(ctx, caller, body), {
      session: 'changeFactors',
      audit: 'user.update_refused',
      body: AddPasskey,
      response: responses(201, Type.Composite([Passkey, FirstRecoveryCodes]), 400, 401, 403, 409, 413, 415),
      detail: {
        tags,
        summary: 'Add a passkey',
        description:
          'Takes what the browser created. Returns recovery codes with the first factor, otherwise null for them.',
      },
    })
    .delete('/:id', ({ caller, params }) => passkeys.remove(ctx, caller, params.id), {
      session: 'changeFactors',
      audit: 'user.update_refused',
      params: ById,
      response: responses(204, NoContent, 401, 403, 404, 415),
      detail: {
        tags,
        summary: 'Remove a passkey',
        description:
          'Ends no session. 403 when it is the last way to sign in. Without another factor the recovery codes are void.',
      },
    })
