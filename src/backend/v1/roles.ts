import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { CountedListOf } from '../../core/contract/lists.ts'
import { CreateRole, CUSTOM_ROLES, ListedRole, ROLE_SORTS, Role, UpdateRole } from '../../core/roles/role.ts'
import * as roles from '../../core/roles/roles.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, NoContent, PageQuery, responses, searchAndSort } from '../http/responses.ts'

const tags = ['Roles']

const Query = t.Object(
  { ...PageQuery.properties, ...searchAndSort(ROLE_SORTS, 'Only roles whose name holds this text') },
  { additionalProperties: true },
)

/** `/v1/roles`: the five default roles and the organisation's own. */
export const rolesRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/roles', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor, query }) => roles.list(ctx, actor, query), {
      permission: ['Roles', 'read'],
      audit: 'role.read_refused',
      query: Query,
      response: responses(200, CountedListOf(ListedRole), 400, 401, 403),
      remember: true,
      detail: {
        tags,
        summary: 'List roles',
        description: 'Default roles first, then custom ones, oldest first, unless `sort` is given.',
      },
    })
    .get('/:id', ({ actor, params }) => roles.get(ctx, actor, params.id), {
      permission: ['Roles', 'read'],
      audit: 'role.read_refused',
      params: ById,
      response: responses(200, Role, 401, 403, 404),
      remember: true,
      detail: { tags, summary: 'Get a role', description: 'One role with its permissions.' },
    })
    .post('/', ({ actor, body }) => roles.create(ctx, actor, body), {
      permission: ['Roles', 'create', 'paid plan'],
      audit: 'role.create_refused',
      body: CreateRole,
      response: responses(201, Role, 400, 401, 403, 409, 413, 415),
      detail: {
        tags,
        summary: 'Create a role',
        description: `Creates a custom role. Without global access, a caller can’t give it permissions that the caller lacks. There can be ${CUSTOM_ROLES.most} custom roles.`,
      },
    })
    .put('/:id', ({ actor, params, body, ifMatch }) => roles.update(ctx, actor, params.id, body, ifMatch), {
      permission: ['Roles', 'update', 'paid plan'],
      audit: 'role.update_refused',
      params: ById,
      body: UpdateRole,
      response: responses(200, Role, 400, 401, 403, 404, 409, 412, 413, 415),
      detail: {
        tags,
        summary: 'Change a role',
        description: 'Fields that are not sent keep their values; default roles cannot be changed.',
      },
    })
    .delete('/:id', ({ actor, params, ifMatch }) => roles.remove(ctx, actor, params.id, ifMatch), {
      permission: ['Roles', 'delete'],
      audit: 'role.delete_refused',
      params: ById,
      response: responses(204, NoContent, 401, 403, 404, 409, 412),
      detail: {
        tags,
        summary: 'Delete a role',
        description: 'Only a custom role that is not in use can be deleted.',
      },
    })
