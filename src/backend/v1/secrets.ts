import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import {
  CreatePlainSecrets,
  DeletePlainSecrets,
  plainChanges,
  plainSecrets,
  UpdatePlainSecrets,
} from '../../core/plain-secrets/plain-input.ts'
import { PlainSecret } from '../../core/plain-secrets/plain-secret.ts'
import * as secrets from '../../core/plain-secrets/plain-secrets.ts'
import { requireDistinctIds } from '../../core/secrets/input.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'
import {
  checkFilter,
  checkPlace,
  PlaceQuery,
  PlainQuery,
  placeOf,
  plainFilterOf,
} from '../http/secret-parameters.ts'

const tags = ['Secrets']

const Secrets = Type.Array(PlainSecret)
const Message = Type.Object({ message: Type.String() })

/** `/v1/secrets`: secrets in clear, where an app has server-side encryption on. */
export const plainSecretsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/secrets', normalize: false })
    .use(guard(ctx, requests))
    .get(
      '/',
      ({ actor, request }) =>
        secrets.list(ctx, actor, placeOf(request), plainFilterOf(request), requests.roomFor(request)),
      {
        appPermission: ['Secrets', 'read', checkFilter],
        audit: ['secret.read_refused', { target: 'app' }],
        remember: { never: 'plaintext is kept nowhere' },
        query: PlainQuery,
        response: responses(200, Secrets, 400, 401, 403, 404, 409),
        detail: {
          tags,
          summary: 'List secrets in clear',
          description:
            'The secrets of an environment by path and then age, opened by the server, with references in their values resolved. Only where the app has server-side encryption on; a bare array. 409 names a secret that was not sealed for the environment.',
        },
      },
    )
    .post(
      '/',
      ({ actor, request, body }) => secrets.create(ctx, actor, placeOf(request), plainSecrets(body)),
      {
        appPermission: ['Secrets', 'create', checkPlace],
        audit: ['secret.create_refused', { target: 'app' }],
        query: PlaceQuery,
        body: CreatePlainSecrets,
        response: responses(200, Secrets, 400, 401, 403, 404, 409, 413, 415),
        detail: {
          tags,
          summary: 'Create secrets in clear',
          description:
            'Adds secrets, all or none; the server seals them for the environment. Answers with them as they are stored, and with none to a caller that may not read secrets.',
        },
      },
    )
    .put(
      '/',
      ({ actor, request, body }) => secrets.update(ctx, actor, placeOf(request), plainChanges(body)),
      {
        appPermission: ['Secrets', 'update', checkPlace],
        audit: ['secret.update_refused', { target: 'app' }],
        query: PlaceQuery,
        body: UpdatePlainSecrets,
        response: responses(200, Secrets, 400, 401, 403, 404, 409, 413, 415),
        detail: {
          tags,
          summary: 'Change secrets in clear',
          description:
            'Changes secrets, all or none; what is left out stays, and what is the same makes no version. Answers as POST.',
        },
      },
    )
    .delete(
      '/',
      async ({ actor, request, body }) => {
        requireDistinctIds(body.secrets)
        await secrets.remove(ctx, actor, placeOf(request), body.secrets)
        return { message: 'The secrets were deleted.' }
      },
      {
        appPermission: ['Secrets', 'delete', checkPlace],
        audit: ['secret.delete_refused', { target: 'app' }],
        anyContentType: true,
        query: PlaceQuery,
        body: DeletePlainSecrets,
        response: responses(200, Message, 400, 401, 403, 404, 409, 413, 415),
        detail: {
          tags,
          summary: 'Delete secrets',
          description:
            'Deletes secrets by their ids, all or none. The body is read as JSON whatever its content type. Their versions are kept for up to 90 days.',
        },
      },
    )
