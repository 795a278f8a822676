import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { ClientKeys, clientKeys } from '../../core/me/client-keys.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'

/** `/service/secrets/tokens/`: what Phase's clients ask for first, with every command. */
export const clientKeysRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service/secrets/tokens', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor, request }) => clientKeys(ctx, actor, requests.roomFor(request)), {
      caller: 'actor',
      audit: 'key.read_refused',
      response: responses(200, ClientKeys, 401, 403),
      remember: true,
      detail: {
        tags: ['Secrets'],
        summary: "Get the caller's keys, for Phase's clients",
        description:
          'The apps and environments that the caller can open, with its key copies: ciphertext that only the whole token opens. In snake_case, as these clients read it.',
      },
    })
