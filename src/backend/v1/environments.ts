import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { CountedListOf } from '../../core/contract/lists.ts'
import {
  CreateEnvironment,
  ENVIRONMENT_SORTS,
  Environment,
  ListedEnvironment,
  UpdateEnvironment,
} from '../../core/environments/environment.ts'
import * as environments from '../../core/environments/environments.ts'
import { Text } from '../../core/schema.ts'
import { rekey } from '../../core/secrets/rekeying.ts'
import { RestoredSecrets, RestoreSecrets, restoreAt } from '../../core/secrets/restoring.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, EmptyBody, NoContent, PageQuery, responses, searchAndSort } from '../http/responses.ts'

const tags = ['Environments']

const AppQuery = t.Object(
  { app_id: Text(200, { description: 'The app of the environments.' }) },
  { additionalProperties: true },
)
const AppPageQuery = t.Object(
  {
    ...AppQuery.properties,
    ...PageQuery.properties,
    ...searchAndSort(ENVIRONMENT_SORTS, 'Only environments whose name holds this text'),
  },
  { additionalProperties: true },
)

/** `/v1/environments`: an app's environments, each with its own keys. */
export const environmentsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/environments', normalize: false })
    .use(guard(ctx, requests))
    .get('/', ({ actor, query }) => environments.list(ctx, actor, query.app_id, query), {
      appPermission: ['Environments', 'read'],
      audit: ['environment.read_refused', { target: 'app' }],
      query: AppPageQuery,
      response: responses(200, CountedListOf(ListedEnvironment), 400, 401, 403, 404),
      remember: true,
      detail: {
        tags,
        summary: "List an app's environments",
        description:
          'The environments of the app that the caller can access, oldest first unless `sort` is given. With the number of their secrets for callers that may read secrets, and of the members and service accounts that can open each for callers that may read members.',
      },
    })
    .get('/:id', ({ actor, params }) => environments.get(ctx, actor, params.id), {
      appPermission: ['Environments', 'read'],
      audit: 'environment.read_refused',
      params: ById,
      response: responses(200, Environment, 401, 403, 404),
      remember: true,
      detail: {
        tags,
        summary: 'Get an environment',
        description: 'One environment that the caller can access.',
      },
    })
    .post('/', ({ actor, query, body }) => environments.create(ctx, actor, query.app_id, body), {
      appPermission: ['Environments', 'create'],
      audit: ['environment.create_refused', { target: 'app' }],
      query: AppQuery,
      body: CreateEnvironment,
      response: responses(201, Environment, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        summary: 'Create an environment',
        description:
          'Adds an environment with its own keys to the app; a caller without global access is granted it.',
      },
    })
    .put(
      '/:id',
      ({ actor, params, body, ifMatch }) => environments.update(ctx, actor, params.id, body, ifMatch),
      {
        appPermission: ['Environments', 'update'],
        audit: 'environment.update_refused',
        params: ById,
        body: UpdateEnvironment,
        response: responses(200, Environment, 400, 401, 403, 404, 409, 412, 413, 415),
        detail: {
          tags,
          summary: 'Rename an environment',
          description: 'Changes the name; `envType` stays the same.',
        },
      },
    )
    .post('/:id/rekey', ({ actor, params }) => rekey(ctx, actor, params.id), {
      appPermission: ['Environments', 'update'],
      audit: 'environment.update_refused',
      params: ById,
      body: EmptyBody,
      response: responses(200, Environment, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        summary: 'Renew the keys of an environment',
        description:
          'A new seed and salt: all its secrets, their versions and overrides are sealed again, and whoever has access gets a copy of the new keys, in one transaction. For when somebody has left who may have kept the keys. Only where the app has server-side encryption on.',
      },
    })
    .post('/:id/secrets/restore', ({ actor, params, body }) => restoreAt(ctx, actor, params.id, body), {
      appPermission: ['Secrets', 'update'],
      audit: ['secret.restore_refused', { target: 'environment' }],
      params: ById,
      body: RestoreSecrets,
      response: responses(200, RestoredSecrets, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        'x-condition':
          '`Secrets` (app level): create, where deleted ones come back; delete, where newer ones go',
        summary: 'Restore all secrets of an environment',
        description:
          'Brings the secrets back to what they were at a time, as new versions: what was deleted since comes back, what was created since is deleted. Versions are kept for as long as those of each secret. Takes the permission to delete and to create secrets, too, where it does so.',
      },
    })
    .delete('/:id', ({ actor, params, ifMatch }) => environments.remove(ctx, actor, params.id, ifMatch), {
      appPermission: ['Environments', 'delete'],
      audit: 'environment.delete_refused',
      params: ById,
      response: responses(204, NoContent, 401, 403, 404, 412),
      detail: {
        tags,
        summary: 'Delete an environment',
        description: 'Deletes the environment with its keys and all access to it, for good.',
      },
    })
