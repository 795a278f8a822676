import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { APP_SORTS, App, CreateApp, UpdateApp } from '../../core/apps/app.ts'
import * as apps from '../../core/apps/apps.ts'
import { remove } from '../../core/apps/deletion.ts'
import { CountedListOf } from '../../core/contract/lists.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, NoContent, PageQuery, responses, searchAndSort } from '../http/responses.ts'

const tags = ['Apps']

const Query = t.Object(
  { ...PageQuery.properties, ...searchAndSort(APP_SORTS, 'Only apps whose name holds this text') },
  { additionalProperties: true },
)

/** `/v1/apps`: the organisation's apps. */
export const appsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/apps', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor, query, request }) => apps.list(ctx, actor, query, requests.roomFor(request)), {
      permission: ['Apps', 'read'],
      audit: 'app.read_refused',
      query: Query,
      response: responses(200, CountedListOf(App), 400, 401, 403),
      remember: true,
      detail: {
        tags,
        summary: 'List apps',
        description:
          'The apps that the caller can access, oldest first unless `sort` is given, each with its environments.',
      },
    })
    .get('/:id', ({ actor, params }) => apps.get(ctx, actor, params.id), {
      permission: ['Apps', 'read'],
      audit: 'app.read_refused',
      params: ById,
      response: responses(200, App, 401, 403, 404),
      remember: true,
      detail: {
        tags,
        summary: 'Get an app',
        description: 'One app with the environments that the caller can access.',
      },
    })
    .post('/', ({ actor, body }) => apps.create(ctx, actor, body), {
      permission: ['Apps', 'create'],
      audit: 'app.create_refused',
      body: CreateApp,
      response: responses(201, App, 400, 401, 403, 409, 413, 415),
      detail: {
        tags,
        summary: 'Create an app',
        description:
          'Creates an app and its environments, each with its own keys; a caller without global access is granted them.',
      },
    })
    .put('/:id', ({ actor, params, body, ifMatch }) => apps.update(ctx, actor, params.id, body, ifMatch), {
      permission: ['Apps', 'update'],
      audit: 'app.update_refused',
      params: ById,
      body: UpdateApp,
      response: responses(200, App, 400, 401, 403, 404, 409, 412, 413, 415),
      detail: {
        tags,
        summary: 'Change an app',
        description:
          'Fields that are not sent keep their values. To send `sse_enabled` also takes the app-level permission `EncryptionMode` update; turning it on or off encrypts nothing again.',
        'x-condition': '`EncryptionMode` (app level): update, for `sse_enabled`',
      } as object,
    })
    .delete('/:id', ({ actor, params, ifMatch }) => remove(ctx, actor, params.id, ifMatch), {
      permission: ['Apps', 'delete'],
      audit: 'app.delete_refused',
      params: ById,
      response: responses(204, NoContent, 401, 403, 404, 412),
      detail: {
        tags,
        summary: 'Delete an app',
        description:
          'Deletes the app with its environments, their keys and all access to them, for good; the caller must be able to access all its environments.',
      },
    })
