import { badRequest } from '../../core/errors.ts'
import { normalisePath, pathFault } from '../../core/secrets/paths.ts'
import { isKeyDigest } from '../../core/secrets/sealed.ts'
import type { SecretFilter } from '../../core/secrets/secret.ts'
import { tagsOfFilter } from '../../core/secrets/tags.ts'
import { headerText } from './header-text.ts'

/** The headers on which the answer to a read of secrets depends, beside the credential. */
export const SECRET_HEADERS = ['environment', 'path', 'keydigest', 'tags', 'x-use-camel-case'] as const

const header = (name: string, description: string, required = false) => ({
  in: 'header' as const,
  name,
  required,
  schema: { type: 'string' as const },
  description,
})

/** `Environment`, as the OpenAPI document tells it. */
export const ENVIRONMENT_HEADER = header('Environment', 'The id of the environment.', true)

/** Which field names the answer has, as the OpenAPI document tells it. */
export const CAMEL_CASE_HEADER = header('X-Use-Camel-Case', '`true` for field names in camel case.')

/** The headers of a filter, as the OpenAPI document tells them. */
export const FILTER_HEADERS = [
  header('Path', 'Only secrets at exactly this path.'),
  header('KeyDigest', 'Only secrets with this digest of their key.'),
  header('Tags', 'Only secrets with one of these tags, with commas between them.'),
]

/** The environment that a request names; 400 without one. */
export function environmentOf(request: Request): string {
  const id = headerText(request, 'Environment')
  if (id === null) throw badRequest('The header Environment must name the environment by its id.')
  return id
}

/** Which secrets a request asks for; 400 for a header that can't be used. */
export function filterOf(request: Request): SecretFilter {
  const path = headerText(request, 'Path')
  const keyDigest = headerText(request, 'KeyDigest')
  const tags = headerText(request, 'Tags')
  const fault = path === null ? null : pathFault(path, 'The header Path')
  if (fault !== null) throw badRequest(fault)
  if (keyDigest !== null && !isKeyDigest(keyDigest)) {
    throw badRequest('The header KeyDigest must be 64 hex digits.')
  }
  const names = tags === null ? [] : tagsOfFilter(tags, 'The header Tags')
  return {
    ...(path !== null && { path: normalisePath(path) }),
    ...(keyDigest !== null && { keyDigest: keyDigest.toLowerCase() }),
    ...(names.length > 0 && { tags: names }),
  }
}

/** Whether a request wants field names in camel case. */
export const wantsCamelCase = (request: Request): boolean =>
  headerText(request, 'X-Use-Camel-Case')?.toLowerCase() === 'true'

/** 400 for headers that can't be used. */
export function requireSecretHeaders(request: Request): void {
  environmentOf(request)
  filterOf(request)
  wantsCamelCase(request)
}
