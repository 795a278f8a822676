import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { CountedListOf } from '../../core/contract/lists.ts'
import { CreateToken, IssuedToken, MOST_LIVE_TOKENS, Token } from '../../core/tokens/token.ts'
import * as tokens from '../../core/tokens/tokens.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, NoContent, PageQuery, responses } from '../http/responses.ts'

const tags = ['Tokens']

/** `/v1/tokens`: the caller's own personal access tokens. */
export const tokensRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/tokens', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor, query }) => tokens.list(ctx, actor, query), {
      caller: 'member',
      audit: 'token.read_refused',
      query: PageQuery,
      response: responses(200, CountedListOf(Token), 400, 401, 403),
      remember: { not: 'a token shows when it was last used' },
      detail: {
        tags,
        summary: 'List your tokens',
        description: 'Your personal access tokens, oldest first, expired ones included, without their text.',
      },
    })
    .post('/', ({ actor, body }) => tokens.create(ctx, actor, body), {
      caller: 'signed-in member',
      audit: 'token.create_refused',
      body: CreateToken,
      response: responses(201, IssuedToken, 400, 401, 403, 409, 413, 415),
      detail: {
        tags,
        summary: 'Create a token',
        description: `A personal access token for yourself, returned only here; it needs a session token, not an access token. You can have ${MOST_LIVE_TOKENS} live ones.`,
      },
    })
    .delete('/:id', ({ actor, params }) => tokens.remove(ctx, actor, params.id), {
      caller: 'member',
      audit: 'token.delete_refused',
      params: ById,
      response: responses(204, NoContent, 401, 403, 404),
      detail: {
        tags,
        summary: 'Revoke a token',
        description: 'One of your own; it is refused from the next request on.',
      },
    })
