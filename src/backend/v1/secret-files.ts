import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import { badRequest } from '../../core/errors.ts'
import { Differences, differences } from '../../core/plain-secrets/differences.ts'
import { EXPORT_FORMATS, type ExportFormat } from '../../core/plain-secrets/export-formats.ts'
import { exportSecrets } from '../../core/plain-secrets/exports.ts'
import { Imported, ImportSecrets, importFile } from '../../core/plain-secrets/imports.ts'
import { Text } from '../../core/schema.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { responses } from '../http/responses.ts'
import { checkPlace, PlaceQuery, PlainQuery, placeOf, plainFilterOf } from '../http/secret-parameters.ts'

const tags = ['Secrets']
const never = 'plaintext is kept nowhere'

const { key: _key, ...exportParameters } = PlainQuery.properties
const ExportQuery = t.Object(
  {
    ...exportParameters,
    format: t.Optional(Text(20, { description: `${EXPORT_FORMATS.join(', ')}; dotenv when absent.` })),
  },
  { additionalProperties: true },
)
const DiffQuery = t.Object(
  {
    app_id: Text(200, { minLength: 1, description: 'The app.' }),
    from: Text(200, { minLength: 1, description: 'The name of one of its environments, in any case.' }),
    to: Text(200, { minLength: 1, description: 'The name of another one.' }),
  },
  { additionalProperties: true },
)

const checkExport = {
  request: (request: Request) => {
    placeOf(request)
    plainFilterOf(request)
    formatOf(request)
  },
  body: (body: unknown) => body,
}
const checkDiff = {
  request: (request: Request) => void environmentsOf(request),
  body: (body: unknown) => body,
}

const ExportedText = Type.String({ contentMediaType: 'text/plain, application/yaml, application/json' })

/** `/v1/secrets/export`, `/import` and `/diff`: what is done with all secrets of an environment, in clear. */
export const secretFilesRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/secrets', normalize: false })
    .use(guard(ctx, requests))
    .get(
      '/export',
      async ({ actor, request }) => {
        const { key: _, ...filter } = plainFilterOf(request)
        const { text, contentType } = await exportSecrets(
          ctx,
          actor,
          placeOf(request),
          filter,
          formatOf(request),
          requests.roomFor(request),
        )
        return new Response(text, { headers: { 'content-type': contentType } }) as unknown as string
      },
      {
        appPermission: ['Secrets', 'read', checkExport],
        audit: ['secret.read_refused', { target: 'app' }],
        remember: { never },
        query: ExportQuery,
        response: responses(200, ExportedText, 400, 401, 403, 404, 409),
        detail: {
          tags,
          summary: 'Export secrets as a file',
          description:
            'The secrets of an environment as a dotenv, JSON or YAML file, or as a Secret of Kubernetes: with references resolved, and with the caller’s own values where they count. A dotenv file is safe to be read by a shell. 400 where the format can’t hold a name, or several paths have the same key.',
        },
      },
    )
    .post('/import', ({ actor, request, body }) => importFile(ctx, actor, placeOf(request), body), {
      appPermission: ['Secrets', 'create', checkPlace],
      audit: ['secret.create_refused', { target: 'app' }],
      query: PlaceQuery,
      body: ImportSecrets,
      response: responses(200, Imported, 400, 401, 403, 404, 409, 413, 415),
      detail: {
        tags,
        'x-condition': '`Secrets` (app level): read; update, for secrets that it changes',
        summary: 'Import secrets from a file',
        description:
          'Writes the keys and values of a dotenv file, or of a JSON object of texts, all or none, and answers what was created, changed and left alone. Takes the permission to read secrets, too, and to update them where some are changed.',
      },
    })
    .get(
      '/diff',
      ({ actor, request }) => {
        const { appId, from, to } = environmentsOf(request)
        return differences(ctx, actor, appId, from, to, requests.roomFor(request))
      },
      {
        appPermission: ['Secrets', 'read', checkDiff],
        audit: ['secret.read_refused', { target: 'app' }],
        remember: { never },
        query: DiffQuery,
        response: responses(200, Differences, 400, 401, 403, 404, 409),
        detail: {
          tags,
          summary: 'Compare the secrets of two environments',
          description:
            'Which names are in one of them only, and which values differ, as they are stored; never the values.',
        },
      },
    )

function formatOf(request: Request): ExportFormat {
  const format = new URL(request.url).searchParams.get('format') || 'dotenv'
  const known = EXPORT_FORMATS.find((one) => one === format)
  if (known === undefined) throw badRequest(`format must be one of ${EXPORT_FORMATS.join(', ')}.`)
  return known
}

function environmentsOf(request: Request): { appId: string; from: string; to: string } {
  const query = new URL(request.url).searchParams
  const read = (name: string, what: string): string => {
    const value = query.get(name)
    if (value === null || value === '') throw badRequest(`${name} is required: ${what}.`)
    return value
  }
  return {
    appId: read('app_id', 'the id of an app'),
    from: read('from', 'the name of an environment'),
    to: read('to', 'the name of an environment'),
  }
}
