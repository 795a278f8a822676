import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { Organisation, UpdateOrganisation } from '../../core/organisations/organisation.ts'
import * as organisations from '../../core/organisations/organisations.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'

const tags = ['Organisation']

/** `/v1/organisation`: the caller's organisation. */
export const organisationRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/organisation', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor }) => organisations.get(ctx, actor), {
      permission: ['Organisation', 'read'],
      audit: 'organisation.read_refused',
      response: responses(200, Organisation, 401, 403),
      remember: true,
      detail: { tags, summary: 'Get the organisation', description: 'Its name and its plan.' },
    })
    .put('/', ({ actor, body, ifMatch }) => organisations.update(ctx, actor, body, ifMatch), {
      permission: ['Organisation', 'update'],
      audit: 'organisation.update_refused',
      body: UpdateOrganisation,
      response: responses(200, Organisation, 400, 401, 403, 412, 413, 415),
      detail: {
        tags,
        summary: 'Rename the organisation',
        description: 'Without a change of name, nothing is written.',
      },
    })
