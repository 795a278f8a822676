import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import * as attention from '../../core/attention/attention.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'

const { shown, most } = attention.SIZE

/** `/v1/attention`: what needs somebody's attention. */
export const attentionRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/attention', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor }) => attention.get(ctx, actor), {
      caller: 'actor',
      audit: 'organisation.read_refused',
      scans: true,
      response: responses(200, attention.Attention, 401, 403),
      remember: { not: 'what expires soon depends on the time, and refusals renew no version of the state' },
      detail: {
        tags: ['Attention'],
        summary: 'Get what needs attention',
        description: `Of each kind the first ${shown}, and \`total\`, which for tokens, secrets and denials counts no further than ${most}. A kind that the caller may not read is absent: pending invites and members without access need the permission to read \`Members\`, tokens of service accounts \`ServiceAccountTokens\`, secrets the app-level \`Secrets\`, and denials \`Logs\`.`,
      },
    })
