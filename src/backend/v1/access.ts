import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import * as accessList from '../../core/access-list/access-list.ts'
import { AccessPair } from '../../core/access-list/access-pair.ts'
import { ListOf } from '../../core/contract/lists.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ExactText, PageQuery, responses } from '../http/responses.ts'

const Query = t.Composite(
  [
    PageQuery,
    t.Object({
      member_id: ExactText('Only what this member can access.'),
      service_account_id: ExactText('Only what this service account can access.'),
      role_id: ExactText('Only what those who hold this role can access.'),
      app_id: ExactText('Only the environments of this app.'),
      environment_id: ExactText('Only this environment.'),
    }),
  ],
  { additionalProperties: true },
)

/** `/v1/access`: which principal can access which environment. */
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
          ...(query.role_id !== undefined && { roleId: query.role_id }),
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
      remember: true,
      detail: {
        tags: ['Members'],
        summary: 'List who has access to what',
        description:
          'Each member and service account with each environment that it can access, by its role or by a grant, with their names and role; always in pages.',
      },
    },
  )
