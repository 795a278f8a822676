import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { CountedListOf } from '../../core/contract/lists.ts'
import { SetAccess } from '../../core/grants/grant.ts'
import { REKEY_HINT } from '../../core/secrets/rekeying.ts'
import {
  CreatedServiceAccount,
  CreateServiceAccount,
  ListedServiceAccount,
  SERVICE_ACCOUNT_SORTS,
  SERVICE_ACCOUNTS,
  ServiceAccount,
  ServiceAccountWithAccess,
  ServiceAccountWithTokens,
  UpdateServiceAccount,
} from '../../core/service-accounts/service-account.ts'
import * as accountTokens from '../../core/service-accounts/service-account-tokens.ts'
import * as serviceAccounts from '../../core/service-accounts/service-accounts.ts'
import { CreateToken, IssuedToken, MOST_LIVE_TOKENS, Token } from '../../core/tokens/token.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, HoldersOf, NoContent, PageQuery, responses, searchAndSort } from '../http/responses.ts'

const tags = ['Service accounts']

const Query = t.Object(
  {
    ...PageQuery.properties,
    ...searchAndSort(SERVICE_ACCOUNT_SORTS, 'Only service accounts whose name holds this text'),
    role_id: HoldersOf('service accounts with'),
  },
  { additionalProperties: true },
)

/** `/v1/service-accounts`: the organisation's service accounts, and their tokens. */
export const serviceAccountsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/service-accounts', normalize: false })
    .use(guard(ctx, requests))
    .get(
      '/',
      ({ actor, query, request }) => serviceAccounts.list(ctx, actor, query, requests.roomFor(request)),
      {
        permission: ['ServiceAccounts', 'read'],
        audit: 'service_account.read_refused',
        query: Query,
        response: responses(200, CountedListOf(ListedServiceAccount), 400, 401, 403),
        remember: { not: 'its tokens show when they were last used' },
        detail: {
          tags,
          summary: 'List service accounts',
          description: 'Oldest first unless `sort` is given.',
        },
      },
    )
    .get('/:id', ({ actor, params }) => serviceAccounts.get(ctx, actor, params.id), {
      permission: ['ServiceAccounts', 'read'],
      audit: 'service_account.read_refused',
      params: ById,
      response: responses(200, ServiceAccountWithTokens, 401, 403, 404),
      remember: { not: 'its tokens show when they were last used' },
      detail: {
        tags,
        summary: 'Get a service account',
        description: 'One service account, with its tokens (without their text) if the caller may read them.',
      },
    })
    .post('/', ({ actor, body }) => serviceAccounts.create(ctx, actor, body), {
      permission: ['ServiceAccounts', 'create'],
      audit: 'service_account.create_refused',
      body: CreateServiceAccount,
      response: responses(201, CreatedServiceAccount, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        summary: 'Create a service account',
        description: `The first token is returned only here; the role must have no global access, and no permission that the caller lacks. There can be ${SERVICE_ACCOUNTS.most} service accounts.`,
      },
    })
    .put(
      '/:id',
      ({ actor, params, body, ifMatch }) => serviceAccounts.update(ctx, actor, params.id, body, ifMatch),
      {
        permission: ['ServiceAccounts', 'update'],
        audit: 'service_account.update_refused',
        params: ById,
        body: UpdateServiceAccount,
        response: responses(200, ServiceAccount, 400, 401, 403, 404, 412, 413, 415),
        detail: {
          tags,
          summary: 'Change a service account',
          description: 'Gives it another name or role; a field that is not sent keeps its value.',
        },
      },
    )
    .delete('/:id', ({ actor, params, ifMatch }) => serviceAccounts.remove(ctx, actor, params.id, ifMatch), {
      permission: ['ServiceAccounts', 'delete'],
      audit: 'service_account.delete_refused',
      params: ById,
      response: responses(204, NoContent, 401, 403, 404, 412),
      detail: {
        tags,
        summary: 'Delete a service account',
        description: `Its tokens, key copies and access are deleted at once, and pending invites that it sent are cancelled. ${REKEY_HINT}`,
      },
    })
    .get('/:id/access', ({ actor, params }) => serviceAccounts.access.get(ctx, actor, params.id), {
      permission: ['ServiceAccounts', 'read'],
      audit: 'service_account.read_refused',
      params: ById,
      response: responses(200, ServiceAccountWithAccess, 401, 403, 404),
      remember: true,
      detail: {
        tags,
        summary: "Get a service account's access",
        description: 'Apps by name, with their environments.',
      },
    })
    .put(
      '/:id/access',
      ({ actor, params, body, ifMatch }) => serviceAccounts.access.set(ctx, actor, params.id, body, ifMatch),
      {
        permission: ['ServiceAccounts', 'update'],
        audit: 'service_account.access_change_refused',
        params: ById,
        body: SetAccess,
        response: responses(200, ServiceAccountWithAccess, 400, 401, 403, 404, 412, 413, 415),
        detail: {
          tags,
          summary: "Set a service account's access",
          description: `The body is the entire desired state. The server wraps the keys: the caller sends none. ${REKEY_HINT}`,
        },
      },
    )
    .use(tokenRoutes(ctx, requests))

const TokenById = t.Object({
  id: t.String({ description: 'A UUID.' }),
  token_id: t.String({ description: 'A UUID.' }),
})

const tokenRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ normalize: false })
    .use(guard(ctx, requests))
    .get('/:id/tokens', ({ actor, params, query }) => accountTokens.list(ctx, actor, params.id, query), {
      permission: ['ServiceAccountTokens', 'read'],
      audit: ['token.read_refused', { target: 'service_account' }],
      params: ById,
      query: PageQuery,
      response: responses(200, CountedListOf(Token), 400, 401, 403, 404),
      remember: { not: 'a token shows when it was last used' },
      detail: {
        tags,
        summary: "List a service account's tokens",
        description: 'Oldest first, expired ones included, without their text.',
      },
    })
    .post('/:id/tokens', ({ actor, params, body }) => accountTokens.create(ctx, actor, params.id, body), {
      permission: ['ServiceAccountTokens', 'create'],
      audit: ['token.create_refused', { target: 'service_account' }],
      params: ById,
      body: CreateToken,
      response: responses(201, IssuedToken, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        summary: 'Create a token of a service account',
        description: `The token is returned only here; the caller must have every permission and environment of the service account. A service account can have ${MOST_LIVE_TOKENS} live tokens, which can do whatever it can later.`,
      },
    })
    .delete(
      '/:id/tokens/:token_id',
      ({ actor, params }) => accountTokens.remove(ctx, actor, params.id, params.token_id),
      {
        permission: ['ServiceAccountTokens', 'delete'],
        audit: 'token.delete_refused',
        params: TokenById,
        response: responses(204, NoContent, 401, 403, 404),
        detail: {
          tags,
          summary: 'Revoke a token of a service account',
          description: 'The token is refused from the next request on.',
        },
      },
    )
