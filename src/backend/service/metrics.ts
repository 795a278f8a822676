import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { METRICS_CONTENT_TYPE } from '../../platform/metrics.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'

/** `/service/metrics/`: the metrics of this process, for Prometheus. */
export const metricsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/service', normalize: false }).use(guard(ctx, requests)).get(
    '/metrics',
    ({ set }) => {
      set.headers['content-type'] = METRICS_CONTENT_TYPE
      return ctx.metrics.text()
    },
    {
      public: true,
      response: responses(
        200,
        Type.String({ description: "Prometheus' text format.", contentMediaType: METRICS_CONTENT_TYPE }),
      ),
      detail: {
        tags: ['Health'],
        summary: 'Read the metrics',
        description: 'The metrics of this process, in the text format of Prometheus, for any Host.',
      },
    },
  )
