import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { CountedListOf } from '../../core/contract/lists.ts'
import { SetAccess } from '../../core/grants/grant.ts'
import {
  ChangeRole,
  ListedMember,
  MEMBER_SORTS,
  Member,
  MemberWithAccess,
} from '../../core/members/member.ts'
import * as members from '../../core/members/members.ts'
import { REKEY_HINT } from '../../core/secrets/rekeying.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, HoldersOf, NoContent, PageQuery, responses, searchAndSort } from '../http/responses.ts'

const tags = ['Members']

const Query = t.Object(
  {
    ...PageQuery.properties,
    ...searchAndSort(MEMBER_SORTS, 'Only members whose full name or e-mail address holds this text'),
    role_id: HoldersOf('members with'),
    access: t.Optional(
      t.Literal('none', {
        description: 'Only members without global access to whom no environment was granted.',
      }),
    ),
  },
  { additionalProperties: true },
)

/** `/v1/members`: the organisation's active members, and what they can access. */
export const membersRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/members', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor, query, request }) => members.list(ctx, actor, query, requests.roomFor(request)), {
      permission: ['Members', 'read'],
      audit: 'member.read_refused',
      query: Query,
      response: responses(200, CountedListOf(ListedMember), 400, 401, 403),
      remember: { not: 'a list of members shows when they were last seen' },
      detail: {
        tags,
        summary: 'List members',
        description:
          'Active members only, oldest first unless `sort` is given. By name: those without one by their e-mail address.',
      },
    })
    .get('/:id', ({ actor, params }) => members.get(ctx, actor, params.id), {
      permission: ['Members', 'read'],
      audit: 'member.read_refused',
      params: ById,
      response: responses(200, Member, 401, 403, 404),
      remember: true,
      detail: { tags, summary: 'Get a member', description: 'One active member.' },
    })
    .put(
      '/:id',
      ({ actor, params, body, ifMatch }) => members.changeRole(ctx, actor, params.id, body, ifMatch),
      {
        permission: ['Members', 'update'],
        audit: 'member.update_refused',
        params: ById,
        body: ChangeRole,
        response: responses(200, Member, 400, 401, 403, 404, 412, 413, 415),
        detail: {
          tags,
          summary: "Change a member's role",
          description: `With global access the member gets a copy of every environment key; without it, it keeps only those that were granted. ${REKEY_HINT}`,
        },
      },
    )
    .delete('/:id', ({ actor, params, ifMatch }) => members.remove(ctx, actor, params.id, ifMatch), {
      permission: ['Members', 'delete'],
      audit: 'member.delete_refused',
      params: ById,
      response: responses(204, NoContent, 401, 403, 404, 412),
      detail: {
        tags,
        summary: 'Remove a member',
        description: `Key copies, tokens and sessions are deleted at once; the user account stays and can be invited again. ${REKEY_HINT}`,
      },
    })
    .get('/:id/access', ({ actor, params }) => members.access.get(ctx, actor, params.id), {
      permission: ['Members', 'read'],
      audit: 'member.read_refused',
      params: ById,
      response: responses(200, MemberWithAccess, 401, 403, 404),
      remember: true,
      detail: {
        tags,
        summary: "Get a member's access",
        description:
          'Apps by name, with their environments; a member with global access can access everything.',
      },
    })
    .put(
      '/:id/access',
      ({ actor, params, body, ifMatch }) => members.access.set(ctx, actor, params.id, body, ifMatch),
      {
        permission: ['Members', 'update'],
        audit: 'member.access_change_refused',
        params: ById,
        body: SetAccess,
        response: responses(200, MemberWithAccess, 400, 401, 403, 404, 412, 413, 415),
        detail: {
          tags,
          summary: "Set a member's access",
          description: `The body is the entire desired state. The server wraps the keys: the caller sends none. ${REKEY_HINT}`,
        },
      },
    )
