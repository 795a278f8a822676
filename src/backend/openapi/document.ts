import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia } from 'elysia'
import { REMEMBER } from '../http/guard.ts'
import { withoutSlash } from '../http/routes.ts'
import { exampleOf } from './examples.ts'

type Json = Record<string, unknown>
type Operation = Json & { responses: Record<string, Json>; requestBody?: Json; parameters?: Json[] }

const DESCRIPTION = `Who belongs to an organisation, which role each member and service account holds, and which apps and
environments each can open. Every path answers with and without its trailing slash; every error is \`{"error": "…"}\`.`

/** Routes that are left out: the document itself, and the page that shows it. */
const HIDDEN = /^\/swagger/

/**
 * The OpenAPI 3.0 document of the routes. The generator's own output does not validate (three content types a body,
 * \`$id\`, \`const\`, null as a type, missing descriptions), so it is cleaned here.
 */
export async function openApiDocument(routes: AnyElysia, version: string): Promise<Json> {
  // Not compiled: it answers once, and some runtimes compile nothing within a request.
  const generator = new Elysia({ normalize: false, aot: false })
    .use(swagger({ specPath: '/openapi', path: '/page' }))
    .use(routes)
  const raw = (await (await generator.handle(new Request('http://localhost/openapi'))).json()) as Json
  const paths: Record<string, Record<string, Operation>> = {}
  for (const [path, operations] of Object.entries(raw.paths as Record<string, Record<string, Operation>>)) {
    const clean = withoutSlash(path)
    if (HIDDEN.test(clean)) continue
    paths[clean] = { ...paths[clean], ...mapValues(operations, (operation) => cleanOperation(operation)) }
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Keyward',
      description: DESCRIPTION,
      version: version.replace(/^v/, ''),
      license: { name: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            "A personal access token, a service account token or a session token; of a token for Phase's clients its bearer.",
        },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'keyward_session',
          description:
            'The session cookie. Valid under `/service/auth/` only; `__Host-keyward_session` over https.',
        },
      },
      headers: {
        ETag: {
          description: 'Changes with the content of the answer, for `If-None-Match` and `If-Match`.',
          schema: { type: 'string' },
        },
        RequestId: {
          description: 'Id of this request, in the log and in the audit log.',
          schema: { type: 'string' },
        },
      },
      schemas: { Error: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } } },
    },
  }
}

function cleanOperation(operation: Operation): Operation {
  const permission = operation['x-permission']
  const description = `${operation.description ?? operation.summary}\n\nPermission: ${permission}.`
  return {
    ...operation,
    description,
    ...parametersOf(operation),
    ...(operation.requestBody && {
      requestBody: { required: true, content: jsonOnly(operation.requestBody) },
    }),
    responses: withETag(operation, mapValues({ ...EVERY_ROUTE, ...operation.responses }, cleanResponse)),
  }
}

/** The parameters that the route declares, and the header of a condition. */
function parametersOf(operation: Operation): { parameters?: Json[] } {
  const condition = hasETag(operation) ? IF_NONE_MATCH : '412' in operation.responses ? IF_MATCH : null
  if (condition === null && operation.parameters === undefined) return {}
  const header = { in: 'header', required: false, schema: { type: 'string' } }
  const declared = (operation.parameters ?? []).map(cleanParameter)
  return { parameters: condition === null ? declared : [...declared, { ...header, ...condition }] }
}

const IF_NONE_MATCH = {
  name: 'If-None-Match',
  description: 'ETags, or `*`: the answer is 304 if one of them is still right.',
}
const IF_MATCH = {
  name: 'If-Match',
  description:
    'ETags of the `GET` of the same path, or `*`: the change is made only if one of them is still right.',
}

function hasETag(operation: Operation): boolean {
  const remember = operation[REMEMBER]
  return remember !== undefined && !(typeof remember === 'object' && remember !== null && 'never' in remember)
}

function withETag(operation: Operation, responses: Record<string, Json>): Record<string, Json> {
  if (!hasETag(operation)) return responses
  const both = { ...headers, ETag: { $ref: '#/components/headers/ETag' } }
  const unchanged = {
    description: 'Nothing has changed since `If-None-Match`; without a body.',
    headers: both,
  }
  return { ...responses, 200: { ...responses[200], headers: both }, 304: unchanged }
}

/** Responses of the request pipeline, before routing. */
const EVERY_ROUTE: Record<string, Json> = {
  400: { description: 'The request has the wrong shape, or its Host is not allowed.' },
  405: { description: 'Method not allowed. `Allow` names the methods of the path.' },
}

const headers = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

const LOCATION = { Location: { description: 'Where to go.', schema: { type: 'string' } } }

const cleanParameter = (parameter: Json): Json => ({ ...parameter, schema: cleanSchema(parameter.schema) })

function cleanResponse(response: Json, status: string): Json {
  if (status === '204') return { description: 'Success, without a body.', headers }
  if (status === '302')
    return { description: 'To the address in `Location`.', headers: { ...headers, ...LOCATION } }
  const description = response.description ?? 'Success.'
  if (Number(status) < 400) return { description, headers, content: jsonOnly(response) }
  const example = { error: String(description) }
  return {
    description,
    headers,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
  }
}

function jsonOnly(body: Json): Json {
  const content = body.content as Record<string, { schema: Json }> | undefined
  const [type, media] = Object.entries(content ?? {}).find(([name]) => name === 'application/json') ??
    Object.entries(content ?? {})[0] ?? ['application/json', { schema: {} }]
  const types = (media.schema.contentMediaType as string | undefined)?.split(', ') ?? [type]
  return Object.fromEntries(
    types.map((name) => {
      // Of several types, the one that is JSON is of texts by their names.
      const schema = types.length > 1 && name === 'application/json' ? TEXTS : cleanSchema(media.schema)
      return [name, { schema, example: exampleOf(schema) }]
    }),
  )
}

const TEXTS = { type: 'object', additionalProperties: { type: 'string' } }

type Source = Json & { anyOf?: Json[]; patternProperties?: Record<string, Json> }

/** A TypeBox schema in the form of OpenAPI 3.0. */
function cleanSchema(schema: unknown): Json {
  const {
    $id: _,
    contentMediaType: _type,
    anyOf,
    const: constant,
    patternProperties,
    ...rest
  } = schema as Source
  const clean: Json = { ...rest, ...(constant !== undefined && { enum: [constant] }) }
  if (anyOf !== undefined) return { ...clean, ...union(anyOf) }
  if (clean.properties !== undefined)
    clean.properties = mapValues(clean.properties as Record<string, unknown>, cleanSchema)
  if (clean.items !== undefined) clean.items = cleanSchema(clean.items)
  if (patternProperties !== undefined)
    clean.additionalProperties = cleanSchema(Object.values(patternProperties)[0])
  return clean
}

/** `null` becomes `nullable`, constants become an enumeration, a number that may come as text is a number. */
function union(options: readonly Json[]): Json {
  const nullable = options.some((option) => option.type === 'null') && { nullable: true }
  const others = options.filter((option) => option.type !== 'null')
  const integer = others.find((option) => option.type === 'integer' || option.type === 'number')
  if (integer !== undefined) return { ...cleanSchema(integer), ...nullable }
  if (others.every((option) => option.const !== undefined)) {
    return { type: 'string', enum: others.map((option) => option.const), ...nullable }
  }
  const [only] = others
  if (others.length === 1 && only !== undefined) return { ...cleanSchema(only), ...nullable }
  return { anyOf: others.map(cleanSchema), ...nullable }
}

const mapValues = <From, To>(
  record: Record<string, From>,
  map: (value: From, key: string) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
