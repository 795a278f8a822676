import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { SetAccess } from '../../core/grants/grant.ts'
import {
  CreatedServiceAccount,
  CreateServiceAccount,
  SERVICE_ACCOUNTS,
  ServiceAccount,
  ServiceAccountWithTokens,
  UpdateServiceAccount,
} from '../../core/service-accounts/service-account.ts'
import * as access from '../../core/service-accounts/service-account-access.ts'
import * as accountTokens from '../../core/service-accounts/service-account-tokens.ts'
import * as serviceAccounts from '../../core/service-accounts/service-accounts.ts'
import { CreateToken, IssuedToken, MOST_LIVE_TOKENS, Token } from '../../core/tokens/token.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, ListOf, NoContent, PageQuery, responses } from '../http/responses.ts'

const tags = ['Service accounts']

/** `/v1/service-accounts`: the organisation's service accounts, and their tokens. */
export const serviceAccountsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/service-accounts', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor, query }) => serviceAccounts.list(ctx, actor, query), {
      permission: ['ServiceAccounts', 'read'],
      audit: 'service_account.read_refused',
      query: PageQuery,
      response: responses(200, ListOf(ServiceAccount), 400, 401, 403),
      detail: { tags, summary: 'List service accounts', description: 'Oldest first.' },
    })
    .get('/:id', ({ actor, params }) => serviceAccounts.get(ctx, actor, params.id), {
      permission: ['ServiceAccounts', 'read'],
      audit: 'service_account.read_refused',
      params: ById,
      response: responses(200, ServiceAccountWithTokens, 401, 403, 404),
      detail: {
        tags,
        summary: 'Get a service account',
        description:
          'One service account, and what is known of its tokens where the caller may read those; never a token itself.',
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
        description: `The first token is shown in this answer only; the role has no global access and allows nothing beyond the caller’s own. There can be ${SERVICE_ACCOUNTS.most} service accounts.`,
      },
    })
    .put('/:id', ({ actor, params, body }) => serviceAccounts.update(ctx, actor, params.id, body), {
      permission: ['ServiceAccounts', 'update'],
      audit: 'service_account.update_refused',
      params: ById,
      body: UpdateServiceAccount,
      response: responses(200, ServiceAccount, 400, 401, 403, 404, 413, 415),
      detail: {
        tags,
        summary: 'Change a service account',
        description: 'Gives it another name or role; a field that is not sent keeps its value.',
      },
    })
    .delete('/:id', ({ actor, params }) => serviceAccounts.remove(ctx, actor, params.id), {
      permission: ['ServiceAccounts', 'delete'],
      audit: 'service_account.delete_refused',
      params: ById,
      response: responses(204, NoContent, 401, 403, 404),
      detail: {
        tags,
        summary: 'Delete a service account',
        description:
          'Its tokens, keys and access end at once, and pending invites that it sent are cancelled.',
      },
    })
    .get('/:id/access', ({ actor, params }) => access.get(ctx, actor, params.id), {
      permission: ['ServiceAccounts', 'read'],
      audit: 'service_account.read_refused',
      params: ById,
      response: responses(200, access.ServiceAccountAccess, 401, 403, 404),
      detail: {
        tags,
        summary: 'What a service account can access',
        description: 'Apps by name, with their environments.',
      },
    })
    .put('/:id/access', ({ actor, params, body }) => access.set(ctx, actor, params.id, body), {
      permission: ['ServiceAccounts', 'update'],
      audit: 'service_account.access_change_refused',
      params: ById,
      body: SetAccess,
      response: responses(200, access.ServiceAccountAccess, 400, 401, 403, 404, 413, 415),
      detail: {
        tags,
        summary: "Set a service account's access",
        description:
          'The body is the entire desired state. The server wraps the keys: the caller sends none.',
      },
    })
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
      response: responses(200, ListOf(Token), 400, 401, 403, 404),
      detail: {
        tags,
        summary: "List a service account's tokens",
        description: 'Oldest first, expired ones included; never a token itself.',
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
        description: `The token is shown in this answer only; the account’s role and environments lie within the caller’s own. An account can have ${MOST_LIVE_TOKENS} live tokens, and a token keeps what its account gains later.`,
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
