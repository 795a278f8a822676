import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { ListOf } from '../../core/contract/lists.ts'
import * as flow from '../../core/sso/flow.ts'
import * as identities from '../../core/sso/identities.ts'
import { available, Provider } from '../../core/sso/providers.ts'
import { stateCookies } from '../http/cookies.ts'
import type { RequestStates } from '../http/requests.ts'
import { NoContent, responses } from '../http/responses.ts'
import { sessionGuard } from '../http/session-guard.ts'

const tags = ['Single sign-on']
const ByProvider = t.Object({ provider: t.String({ description: 'The id of a provider.' }) })

/** `/service/auth/sso/`: the providers, and the caller's own accounts there. */
export const ssoIdentitiesRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/auth/sso', normalize: false })
    .use(sessionGuard(ctx, requests))
    .get('/providers', () => ({ data: available(ctx) }), {
      public: true,
      response: responses(200, Type.Object({ data: Type.Array(Provider) })),
      detail: {
        tags,
        summary: 'List the providers',
        description:
          'The providers of single sign-on that can be reached, in the order of the configuration.',
      },
    })
    .get('/identities', ({ caller }) => identities.list(ctx, caller), {
      session: 'any',
      audit: 'user.read_refused',
      response: responses(200, ListOf(identities.Identity), 401, 403),
      detail: {
        tags,
        summary: 'List your linked accounts',
        description: 'The providers whose accounts are linked to yours, oldest first.',
      },
    })
    .post(
      '/:provider/link',
      async ({ body, caller, params, request, set }) => {
        const started = await flow.startLink(ctx, caller, params.provider, body)
        set.headers['set-cookie'] = stateCookies(ctx.config, request, started)
        return { url: started.url }
      },
      {
        session: 'recent',
        audit: 'user.update_refused',
        params: ByProvider,
        body: flow.StartLink,
        response: responses(200, flow.Started, 400, 401, 403, 404, 413, 415),
        detail: {
          tags,
          summary: 'Link an account at a provider to yours',
          description:
            'Answers with the address to send the browser to. The link is made when this session comes back from there.',
        },
      },
    )
    .delete('/:provider/link', ({ caller, params }) => identities.unlink(ctx, caller, params.provider), {
      session: 'recent',
      audit: 'user.update_refused',
      params: ByProvider,
      response: responses(204, NoContent, 401, 403, 404, 415),
      detail: {
        tags,
        summary: 'Unlink your account at a provider',
        description: 'Not where it is the only way to sign in. Sessions that it has opened stay.',
      },
    })
