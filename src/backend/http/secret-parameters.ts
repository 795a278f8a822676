import { t } from 'elysia'
import { badRequest } from '../../core/errors.ts'
import type { NamedPlace } from '../../core/plain-secrets/opening.ts'
import type { PlainFilter } from '../../core/plain-secrets/plain-secrets.ts'
import { Text } from '../../core/schema.ts'
import { normalisePath, pathFault } from '../../core/secrets/paths.ts'
import { tagsOfFilter } from '../../core/secrets/tags.ts'

/** The query parameters that name an environment by its app and its name. */
const PLACE = {
  app_id: Text(200, { minLength: 1, description: 'The app.' }),
  env: Text(200, { minLength: 1, description: 'The name of one of its environments, in any case.' }),
}

const RAW = t.Optional(Text(10, { description: '`true` leaves references as they are written.' }))
const PATH = t.Optional(Text(2000, { description: 'Only those at this path.' }))

/** The query of a change of secrets. */
export const PlaceQuery = t.Object(PLACE, { additionalProperties: true })

/** The query of a read of secrets. */
export const PlainQuery = t.Object(
  {
    ...PLACE,
    key: t.Optional(Text(300, { description: 'Only this name: as it is written, or else in capitals.' })),
    path: PATH,
    tags: t.Optional(
      Text(2000, { description: 'Only those with one of these tags, with commas between them.' }),
    ),
    raw: RAW,
  },
  { additionalProperties: true },
)

/** The environment that a request names in its query; 400 without one. */
export function placeOf(request: Request): NamedPlace {
  const query = new URL(request.url).searchParams
  const app_id = query.get('app_id') ?? ''
  const env = query.get('env') ?? ''
  if (app_id === '') throw badRequest('app_id is required: the id of an app.')
  if (env === '') throw badRequest('env is required: the name of an environment.')
  return { app_id, env }
}

/** Which secrets a request asks for in its query; 400 for a parameter that can't be used. An empty one is an absent one. */
export function plainFilterOf(request: Request): PlainFilter {
  const query = new URL(request.url).searchParams
  const path = query.get('path') || null
  const key = query.get('key') || null
  const raw = query.get('raw') || 'false'
  const tags = tagsOfFilter(query.get('tags') ?? '', 'tags')
  const fault = path === null ? null : pathFault(path, 'path')
  if (fault !== null) throw badRequest(fault)
  if (key !== null && key.length > 300) throw badRequest('key must have at most 256 bytes.')
  if (raw !== 'true' && raw !== 'false') throw badRequest('raw must be one of true, false.')
  return {
    ...(key !== null && { key }),
    ...(path !== null && { path: normalisePath(path) }),
    ...(tags.length > 0 && { tags }),
    raw: raw === 'true',
  }
}

/** What a route checks of the query before the body is read. */
export const checkPlace = {
  request: (request: Request) => void placeOf(request),
  body: (body: unknown) => body,
}

/** What a read checks of the query. */
export const checkFilter = {
  request: (request: Request) => {
    placeOf(request)
    plainFilterOf(request)
  },
  body: (body: unknown) => body,
}
