import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { update } from '../../core/secrets/changes.ts'
import { create } from '../../core/secrets/creation.ts'
import {
  CreateSecrets,
  DeleteSecrets,
  newSecrets,
  secretChanges,
  secretIds,
  UpdateSecrets,
  withoutNulls,
} from '../../core/secrets/input.ts'
import {
  present,
  presentInSnakeCase,
  SealedSecret,
  SnakeCaseSecret,
} from '../../core/secrets/sealed-secret.ts'
import type { SecretRow } from '../../core/secrets/secret.ts'
import * as secrets from '../../core/secrets/secrets.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'
import {
  CAMEL_CASE_HEADER,
  ENVIRONMENT_HEADER,
  environmentOf,
  FILTER_HEADERS,
  filterOf,
  requireSecretHeaders,
  SECRET_HEADERS,
  wantsCamelCase,
} from '../http/secret-headers.ts'

const tags = ['Secrets']

const Secrets = Type.Union([Type.Array(SnakeCaseSecret), Type.Array(SealedSecret)])
const Message = Type.Object({ message: Type.String() })

/** `/service/secrets`: sealed secrets, as the clients of Phase read and write them. */
export const sealedSecretsRoutes = (ctx: Context, requests: RequestStates) => {
  const shown = (request: Request, rows: readonly SecretRow[]) =>
    wantsCamelCase(request) ? rows.map(present) : rows.map(presentInSnakeCase)
  const check = { request: requireSecretHeaders, body: withoutNulls }

  return new Elysia({ prefix: '/service/secrets', normalize: false })
    .use(guard(ctx, requests))
    .get(
      '/',
      async ({ actor, request }) => {
        const { secrets: rows, reading } = await secrets.list(
          ctx,
          actor,
          environmentOf(request),
          filterOf(request),
          requests.roomFor(request),
        )
        requests.of(request).reading = reading
        return shown(request, rows)
      },
      {
        appPermission: ['Secrets', 'read', check],
        audit: ['secret.read_refused', { target: 'environment' }],
        response: responses(200, Secrets, 400, 401, 403, 404),
        remember: { by: SECRET_HEADERS },
        detail: {
          tags,
          parameters: [ENVIRONMENT_HEADER, ...FILTER_HEADERS, CAMEL_CASE_HEADER],
          summary: 'List sealed secrets',
          description:
            'The secrets of the environment that the header `Environment` names, by path and then age, sealed for its public key. The headers `Path`, `KeyDigest` and `Tags` (with commas, any of them) restrict them; an empty header counts as absent. `X-Use-Camel-Case: true` gives field names in camel case.',
        },
      },
    )
    .post(
      '/',
      async ({ actor, request, body }) =>
        shown(request, await create(ctx, actor, placeOf(request), newSecrets(body))),
      {
        appPermission: ['Secrets', 'create', check],
        audit: ['secret.create_refused', { target: 'environment' }],
        anyContentType: true,
        body: CreateSecrets,
        response: responses(200, Secrets, 400, 401, 403, 404, 409, 413, 415),
        detail: {
          tags,
          parameters: [ENVIRONMENT_HEADER, CAMEL_CASE_HEADER],
          summary: 'Create sealed secrets',
          description:
            'Adds secrets to the environment that the header `Environment` names, all or none. The body is read as JSON whatever its content type. Answers with none to a caller that may not read secrets.',
        },
      },
    )
    .put(
      '/',
      async ({ actor, request, body }) =>
        shown(request, await update(ctx, actor, placeOf(request), secretChanges(body))),
      {
        appPermission: ['Secrets', 'update', check],
        audit: ['secret.update_refused', { target: 'environment' }],
        anyContentType: true,
        body: UpdateSecrets,
        response: responses(200, Secrets, 400, 401, 403, 404, 409, 413, 415),
        detail: {
          tags,
          parameters: [ENVIRONMENT_HEADER, CAMEL_CASE_HEADER],
          summary: 'Change sealed secrets',
          description:
            'Changes secrets of the environment that the header `Environment` names, all or none; what is left out stays. The body is read as JSON whatever its content type. Answers with none to a caller that may not read secrets.',
        },
      },
    )
    .delete(
      '/',
      async ({ actor, request, body }) => {
        await secrets.remove(ctx, actor, placeOf(request), secretIds(body))
        return { message: 'The secrets were deleted.' }
      },
      {
        appPermission: ['Secrets', 'delete', check],
        audit: ['secret.delete_refused', { target: 'environment' }],
        anyContentType: true,
        body: DeleteSecrets,
        response: responses(200, Message, 400, 401, 403, 404, 409, 413, 415),
        detail: {
          tags,
          parameters: [ENVIRONMENT_HEADER],
          summary: 'Delete secrets',
          description:
            'Deletes secrets of the environment that the header `Environment` names; ids that it has no secret of are ignored. The body is read as JSON whatever its content type. Their versions are kept for up to 90 days.',
        },
      },
    )
}

const placeOf = (request: Request) => ({ environmentId: environmentOf(request) })
