import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { DomainError } from '../../core/errors.ts'
import { readiness } from '../../platform/postgres/readiness.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'

const tags = ['Health']

/** `/service/health/`: the process lives, whatever the state of its stores; `/service/ready/`: it can work. */
export const healthRoutes = (ctx: Context, requests: RequestStates) => {
  const look = readiness(ctx)
  return new Elysia({ prefix: '/service', normalize: false })
    .use(guard(ctx, requests))
    .get('/health', () => ({ status: 'alive', version: ctx.config.version }), {
      public: true,
      response: responses(200, Type.Object({ status: Type.String(), version: Type.String() })),
      detail: {
        tags,
        summary: 'Is the process alive?',
        description: 'Answers whatever the state of the stores, for any Host.',
      },
    })
    .get(
      '/ready',
      async () => {
        const found = await look()
        if (found.fault !== null) throw new DomainError(503, found.fault, { 'retry-after': '1' })
        return { status: 'ready', schema: found.schema }
      },
      {
        public: true,
        response: responses(200, Type.Object({ status: Type.String(), schema: Type.Integer() })),
        detail: {
          tags,
          summary: 'Can it do its work?',
          description:
            'With the version of the database schema. 503 names what is missing: the database, or its schema. ' +
            'Answers within two seconds, for any Host.',
        },
      },
    )
}
