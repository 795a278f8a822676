import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { DomainError } from '../../core/errors.ts'
import { readiness } from '../../platform/postgres/readiness.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'

const tags = ['Health']

/** `/service/health/`: the process is alive, whatever the state of its stores; `/service/ready/`: it can serve requests. */
export const healthRoutes = (ctx: Context, requests: RequestStates) => {
  const check = readiness(ctx)
  return new Elysia({ prefix: '/service', normalize: false })
    .use(guard(ctx, requests))
    .get('/health', () => ({ status: 'alive', version: ctx.config.version }), {
      open: true,
      response: responses(200, Type.Object({ status: Type.String(), version: Type.String() })),
      detail: {
        tags,
        summary: 'Liveness',
        description: 'Responds whatever the state of the stores, for any Host.',
      },
    })
    .get(
      '/ready',
      async () => {
        const state = await check()
        if (state.problem !== null) throw new DomainError(503, state.problem, { 'retry-after': '1' })
        return { status: 'ready', schema: state.schema }
      },
      {
        open: true,
        response: responses(200, Type.Object({ status: Type.String(), schema: Type.Integer() })),
        detail: {
          tags,
          summary: 'Readiness',
          description:
            'Returns the version of the database schema. 503 names what is missing: the database, or its schema. ' +
            'Responds within two seconds, for any Host.',
        },
      },
    )
}
