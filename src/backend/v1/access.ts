import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import * as accessList from '../../core/access-list/access-list.ts'
import { AccessPair } from '../../core/access-list/access-pair.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ListOf, PageQuery, responses } from '../http/responses.ts'

const ofId = (description: string) => t.Optional(t.String({ maxLength: 200, description }))

const Query = t.Composite(
  [
    PageQuery,
    t.Object({
      member_id: ofId('Only what this member reaches.'),
      service_account_id: ofId('Only what this service account reaches.'),
      app_id: ofId('Only the environments of this app.'),
      environment_id: ofId('Only this environment.'),
    }),
  ],
  { additionalProperties: true },
)

/** `/v1/access`: who reaches what. */
export const accessRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/access', normalize: false }).use(guard(ctx, requests)).get(
    '/',
    ({ actor, query }) =>
      accessList.list(
        ctx,
        actor,
        {
          ...(query.member_id !== undefined && { memberId: query.member_id }),
          ...(query.service_account_id !== undefined && { serviceAccountId: query.service_account_id }),
          ...(query.app_id !== undefined && { appId: query.app_id }),
          ...(query.environment_id !== undefined && { environmentId: query.environment_id }),
        },
        query,
      ),
    {
      permission: ['Members', 'read'],
      audit: 'access.read_refused',
      query: Query,
      response: responses(200, ListOf(AccessPair), 400, 401, 403),
      detail: {
        tags: ['Members'],
        summary: 'List who reaches what',
        description:
          'Each member and service account with each environment that it can open, by its role or by a grant; always in pages.',
      },
    },
  )
