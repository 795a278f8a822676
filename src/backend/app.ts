import '../platform/production.ts'
import { Elysia } from 'elysia'
import type { ElysiaAdapter } from 'elysia/adapter'
import type { Context } from '../context.ts'
import { wantsPage } from '../platform/http/accepts.ts'
import { UNREAD } from './http/body.ts'
import { errorResponse, toResponse } from './http/errors.ts'
import { failurePage, isPageRoute } from './http/pages.ts'
import { requestPipeline } from './http/pipeline.ts'
import { recordRefusal } from './http/refusals.ts'
import type { PeerAddress } from './http/request-source.ts'
import { createRequestStates, type RequestStates } from './http/requests.ts'
import { routeTable, withoutSlash } from './http/routes.ts'
import { swaggerPage } from './openapi/swagger-page.ts'
import { clientKeysRoutes } from './service/client-keys.ts'
import { emailLinksRoutes } from './service/email-links.ts'
import { healthRoutes } from './service/health.ts'
import { inviteLinksRoutes } from './service/invites.ts'
import { ownershipRoutes } from './service/ownership.ts'
import { passkeysRoutes } from './service/passkeys.ts'
import { passwordRoutes } from './service/password.ts'
import { secondFactorRoutes } from './service/second-factor.ts'
import { sealedSecretsRoutes } from './service/secrets.ts'
import { sessionsRoutes } from './service/sessions.ts'
import { callbackAlias, ssoRoutes } from './service/sso.ts'
import { ssoIdentitiesRoutes } from './service/sso-identities.ts'
import { accessRoutes } from './v1/access.ts'
import { appsRoutes } from './v1/apps.ts'
import { attentionRoutes } from './v1/attention.ts'
import { environmentsRoutes } from './v1/environments.ts'
import { invitesRoutes } from './v1/invites.ts'
import { logsRoutes } from './v1/logs.ts'
import { meRoutes } from './v1/me.ts'
import { membersRoutes } from './v1/members.ts'
import { organisationRoutes } from './v1/organisation.ts'
import { rolesRoutes } from './v1/roles.ts'
import { secretFilesRoutes } from './v1/secret-files.ts'
import { secretVersionsRoutes } from './v1/secret-versions.ts'
import { plainSecretsRoutes } from './v1/secrets.ts'
import { serviceAccountsRoutes } from './v1/service-accounts.ts'
import { tokensRoutes } from './v1/tokens.ts'

/** The whole HTTP service, the handler of a server. Elysia chooses its adapter for Bun and for Node.js by itself. */
export function createApp(
  ctx: Context,
  peerAddress: PeerAddress = () => null,
  adapter: ElysiaAdapter | null = null,
) {
  const requests = createRequestStates(ctx, peerAddress)
  const routes = apiRoutes(ctx, requests)
  const table = routeTable(() => app.routes)
  const { wrap, ...beforeHandling } = requestPipeline(ctx, requests, table)

  // Elysia otherwise assumes a host of at least 4 characters when it looks for the path.
  const app = new Elysia({
    normalize: false,
    handler: { standardHostname: false },
    ...(adapter !== null && { adapter }),
  })
    .wrap(wrap)
    .onError({ as: 'global' }, async ({ code, error, request, params, query }) => {
      const state = requests.of(request)
      const response = errorResponse(code, error, ctx.log, state.source.requestId)
      const declared = state.route === null ? undefined : table.refusalOf(request.method, state.route)
      await recordRefusal(
        ctx,
        state,
        declared,
        {
          params: params ?? {},
          query: query ?? {},
          environment: request.headers.get('environment'),
        },
        response,
      )
      return isPageRoute(state.route) && wantsPage(request)
        ? failurePage(response, state.source.requestId)
        : toResponse(response)
    })
    // The guards read the body, after they have checked credentials and permission.
    .onParse({ as: 'global' }, () => UNREAD)
    .onTransform({ as: 'global' }, ({ request, route, set }) => {
      const state = requests.of(request)
      state.route = withoutSlash(route)
      state.isRemembered = table.isRemembered(request.method, route)
      state.hasETag = table.hasETag(request.method, route)
      state.isScan = table.isScan(request.method, route)
      state.parameters = table.parametersOf(request.method, route)
      set.status = table.successOf(request.method, route)
    })
    .use(routes)
    .use(swaggerPage(ctx, routes))
  return Object.assign(app, beforeHandling)
}

export type App = ReturnType<typeof createApp>

/** Every route of the contract. */
const apiRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ normalize: false })
    .use(healthRoutes(ctx, requests))
    .use(clientKeysRoutes(ctx, requests))
    .use(passwordRoutes(ctx, requests))
    .use(emailLinksRoutes(ctx, requests))
    .use(inviteLinksRoutes(ctx, requests))
    .use(sessionsRoutes(ctx, requests))
    .use(secondFactorRoutes(ctx, requests))
    .use(passkeysRoutes(ctx, requests))
    .use(ownershipRoutes(ctx, requests))
    .use(ssoRoutes(ctx, requests))
    .use(callbackAlias(ctx, requests))
    .use(ssoIdentitiesRoutes(ctx, requests))
    .use(rolesRoutes(ctx, requests))
    .use(membersRoutes(ctx, requests))
    .use(invitesRoutes(ctx, requests))
    .use(serviceAccountsRoutes(ctx, requests))
    .use(tokensRoutes(ctx, requests))
    .use(meRoutes(ctx, requests))
    .use(appsRoutes(ctx, requests))
    .use(environmentsRoutes(ctx, requests))
    .use(organisationRoutes(ctx, requests))
    .use(accessRoutes(ctx, requests))
    .use(logsRoutes(ctx, requests))
    .use(attentionRoutes(ctx, requests))
    .use(plainSecretsRoutes(ctx, requests))
    .use(secretFilesRoutes(ctx, requests))
    .use(sealedSecretsRoutes(ctx, requests))
    .use(secretVersionsRoutes(ctx, requests))
