import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import * as me from '../../core/me/me.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'

const tags = ['Me']

/** `/v1/me`: who calls, and its keys. */
export const meRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/me', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ caller }) => me.get(ctx, caller), {
      caller: 'any',
      response: responses(200, me.Me, 401),
      detail: {
        tags,
        summary: 'Who you are',
        description: 'The caller with its role; role and organisation are null for whoever belongs to none.',
      },
    })
    .get('/keys', ({ actor }) => me.keys(ctx, actor), {
      caller: 'actor',
      audit: 'key.read_refused',
      response: responses(200, me.MyKeys, 401, 403),
      detail: {
        tags,
        summary: 'Your keys',
        description:
          'Your copies of environment keys, wrapped for your identity key, whose private half is wrapped for the token of this request.',
      },
    })
