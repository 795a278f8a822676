import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { Text } from '../../core/schema.ts'
import * as flow from '../../core/sso/flow.ts'
import { isState } from '../../core/sso/flow-state.ts'
import { findProvider } from '../../core/sso/providers.ts'
import {
  endedStateCookie,
  readDeviceCookies,
  readSessionCookie,
  readStateCookies,
  signInCookies,
  stateCookies,
} from '../http/cookies.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Single sign-on']
const ByProvider = t.Object({ provider: t.String({ description: 'The id of a provider.' }) })
const Redirect = Type.Void({ description: 'To the address in `Location`.' })

/** `/service/auth/sso/:provider/`: to an identity provider, and back from it. Failures are pages for browsers. */
export const ssoRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth/sso/:provider', normalize: false })
    .use(sessionGuard(ctx, requests))
    .get(
      '/authorize',
      async ({ params, query, request }) => {
        const visitor = visitorOf(requests, request)
        const started = await flow.startSignIn(ctx, params.provider, startOf(query), visitor)
        return redirect(started.url, stateCookies(ctx.config, request, started))
      },
      {
        public: true,
        params: ByProvider,
        query: t.Object(
          {
            return_to: t.Optional(
              Text(2000, {
                description: 'Where the browser is sent once it is signed in: a path of this service.',
              }),
            ),
          },
          { additionalProperties: true },
        ),
        response: responses(302, Redirect, 400, 403, 404),
        detail: {
          tags,
          summary: 'Sign in at a provider',
          description:
            'Sends the browser to the provider, which sends it back to the callback. Sets a cookie that binds both to this browser for 10 minutes. Browsers get failures as a page.',
        },
      },
    )
    .post(
      '/authorize',
      async ({ body, params, request, set }) => {
        const visitor = visitorOf(requests, request)
        const started = await flow.startSignIn(ctx, params.provider, body, visitor)
        set.headers['set-cookie'] = stateCookies(ctx.config, request, started)
        return { url: started.url }
      },
      {
        public: true,
        params: ByProvider,
        body: flow.StartSignIn,
        response: responses(200, flow.Started, 400, 403, 404, 413, 415),
        detail: {
          tags,
          summary: 'Sign in at a provider, with an invite or the setup token',
          description:
            'Answers with the address to send the browser to, and sets the cookie. So the token of an invite and the setup token are in no address.',
        },
      },
    )
    .get(
      '/callback',
      async ({ params, request }) => {
        const { headers } = requests.of(request)
        const callback = new URL(request.url)
        const { id } = findProvider(ctx, params.provider)
        const [state = '', ...others] = callback.searchParams.getAll('state')
        const isOne = isState(state) && others.length === 0
        const ended = isOne ? [endedStateCookie(ctx.config, state)] : []
        // The state is used up, however it ends.
        if (ended[0] !== undefined) headers['set-cookie'] = ended[0]
        const { returnTo, signedIn } = await flow.finish(
          ctx,
          id,
          returning(ctx, request, callback),
          visitorOf(requests, request),
        )
        const cookies = signedIn === null ? [] : signInCookies(ctx.config, signedIn)
        return redirect(`${ctx.config.origin}${returnTo}`, [...cookies, ...ended])
      },
      {
        public: true,
        params: ByProvider,
        response: responses(302, Redirect, 400, 403, 404, 409),
        detail: {
          tags,
          summary: 'Come back from a provider',
          description:
            'Completes the sign-in or the link that was begun in this browser, once, and sends the browser on. Sets the session cookie and a device cookie. Browsers get failures as a page.',
        },
      },
    )

/** `/api/auth/callback/:provider`: the older redirect address. */
export const callbackAlias = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/api/auth/callback', normalize: false }).use(sessionGuard(ctx, requests)).get(
    '/:provider',
    ({ params, request }) => {
      const { id } = findProvider(ctx, params.provider)
      return redirect(`/service/auth/sso/${id}/callback/${new URL(request.url).search}`, [])
    },
    {
      public: true,
      params: ByProvider,
      response: responses(302, Redirect, 400, 404),
      detail: {
        tags,
        summary: 'Come back from a provider, by the older address',
        description: 'Sends the browser on to `/service/auth/sso/:provider/callback/`.',
      },
    },
  )

const visitorOf = (requests: RequestStates, request: Request): flow.Visitor => ({
  source: requests.of(request).source,
  leaveTurn: () => requests.leaveTurn(request),
})

const startOf = ({ return_to }: { return_to?: string }) => (return_to === undefined ? {} : { return_to })

const returning = (ctx: Context, request: Request, callback: URL): flow.Returning => ({
  callback,
  stateCookies: (state) => readStateCookies(ctx.config, request, state),
  sessionCookie: readSessionCookie(ctx.config, request),
  deviceCookies: readDeviceCookies(ctx.config, request),
})

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(null, { status: 302, headers })
}
