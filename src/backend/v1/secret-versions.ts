import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import * as overrides from '../../core/secrets/own-overrides.ts'
import { Override, present, SealedSecret } from '../../core/secrets/sealed-secret.ts'
import { RestoreSecret, SecretVersion } from '../../core/secrets/version.ts'
import * as versions from '../../core/secrets/versions.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ById, responses } from '../http/responses.ts'

const tags = ['Secrets']

const Message = Type.Object({ message: Type.String() })
const Restored = Type.Union([SealedSecret, Type.Object({ id: Type.String(), version: Type.Integer() })])

/** `/v1/secrets/:id/…`: what belongs to one secret, however it is encrypted: its versions, and the caller's override. */
export const secretVersionsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/secrets/:id', normalize: false })
    .use(guard(ctx, requests))
    .get(
      '/versions',
      async ({ actor, params, query, request }) => {
        const withValues = query.values === 'true'
        const found = await versions.list(ctx, actor, params.id, withValues, requests.roomFor(request))
        requests.of(request).reading = found.reading
        return found.versions
      },
      {
        appPermission: ['Secrets', 'read'],
        audit: 'secret.read_refused',
        params: ById,
        query: t.Object(
          {
            values: t.Optional(
              t.Union([t.Literal('true'), t.Literal('false')], {
                description: 'Whether to give sealed texts.',
              }),
            ),
          },
          { additionalProperties: true },
        ),
        response: responses(200, Type.Array(SecretVersion), 400, 401, 403, 404),
        remember: true,
        detail: {
          tags,
          summary: 'List the versions of a secret',
          description:
            'Every state that it was in, oldest first, also of a deleted secret; at most the newest 100, and for up to 90 days after a deletion. `values=true` adds the sealed texts.',
        },
      },
    )
    .post(
      '/restore',
      async ({ actor, params, body }) => {
        const { id, version, secret } = await versions.restore(ctx, actor, params.id, body.version)
        return secret === null ? { id, version } : present(secret)
      },
      {
        appPermission: ['Secrets', 'update'],
        audit: 'secret.restore_refused',
        params: ById,
        body: RestoreSecret,
        response: responses(200, Restored, 400, 401, 403, 404, 409, 413, 415),
        detail: {
          tags,
          'x-condition': '`Secrets` (app level): create, for a deleted secret',
          summary: 'Restore a version of a secret',
          description:
            'Makes the version the newest one again, also of a deleted secret, which comes back under its id: this takes the permission to create secrets, too. Answers with the sealed secret, or with its id and version to a caller that may not read secrets.',
        },
      },
    )
    .put('/override', ({ actor, params, body }) => overrides.set(ctx, actor, params.id, body), {
      appPermission: ['Secrets', 'read'],
      audit: 'secret.update_refused',
      params: ById,
      body: overrides.SetOverride,
      response: responses(200, Override, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        summary: 'Set your own value of a secret',
        description:
          'A value that nobody else sees, and that counts for the caller in place of the secret’s. `value` is sealed for the environment; `plain_value` is in clear, where the app has server-side encryption on.',
      },
    })
    .delete(
      '/override',
      async ({ actor, params }) => {
        await overrides.remove(ctx, actor, params.id)
        return { message: 'The override was removed.' }
      },
      {
        appPermission: ['Secrets', 'read'],
        audit: 'secret.update_refused',
        params: ById,
        response: responses(200, Message, 401, 403, 404, 409),
        detail: {
          tags,
          summary: 'Remove your own value of a secret',
          description: "The secret's value counts for the caller again.",
        },
      },
    )
