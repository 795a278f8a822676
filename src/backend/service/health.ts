import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { guard } from '../guard.ts'
import type { Requests } from '../requests.ts'
import { answers } from '../responses.ts'

const tags = ['Health']

/** `/service/health/`: the process lives, whatever the state of its stores. */
export const healthRoutes = (ctx: Context, requests: Requests) =>
  new Elysia({ prefix: '/service', normalize: false })
    .use(guard(ctx, requests))
    .get('/health', () => ({ status: 'alive', version: ctx.config.version }), {
      open: true,
      response: answers(200, Type.Object({ status: Type.String(), version: Type.String() })),
      detail: {
        tags,
        summary: 'Is the process alive?',
        description: 'Answers whatever the state of the stores, for any Host.',
      },
    })
