import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import * as me from '../../core/me/me.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'

const tags = ['Me']

/** `/v1/me`: the caller and its keys. */
export const meRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/me', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ caller }) => me.get(ctx, caller), {
      caller: 'any',
      response: responses(200, me.Me, 401),
      remember: true,
      detail: {
        tags,
        summary: 'Get the caller',
        description:
          'The caller with its role; role and organisation are null for a user without a membership.',
      },
    })
    .get('/keys', ({ actor, request }) => me.keys(ctx, actor, requests.roomFor(request)), {
      caller: 'actor',
      audit: 'key.read_refused',
      response: responses(200, me.MyKeys, 401, 403),
      remember: { not: 'it holds the private key, wrapped anew for each request' },
      detail: {
        tags,
        summary: "Get the caller's keys",
        description:
          'Copies of environment keys, wrapped for the caller’s identity key, whose private half is wrapped for the token of the request; that is null for the bearer of a token in the format `phase`.',
      },
    })
