import type { Context } from '../context.ts'
import { isActor } from '../core/actor.ts'
import { type AuditEvent, recordCoalesced } from '../core/audit/audit.ts'
import { servedOrganisation } from '../core/deployment.ts'
import { isId } from '../core/schema.ts'
import type { Failure } from './errors.ts'
import type { RequestState } from './requests.ts'

/** What was asked for, as the router understood it: `route` is the pattern, `params` what stood in its places. */
export type Asked = Readonly<{
  method: string
  route: string
  params: Readonly<Record<string, string | undefined>>
  query: Readonly<Record<string, unknown>>
}>

/**
 * Takes note of an answer that refuses: a 403 to a known caller is an entry of the audit trail, a 401 a number and a
 * line in the log. The answer stands whether or not the entry can be written.
 */
export async function noteRefusal(
  ctx: Context,
  { caller, origin, route }: RequestState,
  asked: Omit<Asked, 'route'>,
  failure: Failure,
): Promise<void> {
  const { requestId, ipAddress } = origin
  if (failure.status === 401) {
    ctx.metrics.unauthenticated()
    ctx.log.info({ requestId, ipAddress, route }, 'a request without valid credentials')
  }
  if (failure.status !== 403 || caller === null || route === null) return
  const event = refusalEvent({ ...asked, route }, failure.error)
  try {
    const organisationId = isActor(caller) ? caller.organisation.id : await servedOrganisation(ctx.db)
    if (organisationId === null) return
    // Paths about the caller's own account or organisation don't name it.
    const own: Record<string, string | null> = { user: caller.userId, organisation: organisationId }
    const resourceId = event.resourceId ?? own[event.resourceType] ?? null
    const environmentId = event.environmentId ?? failure.environmentId ?? null
    await recordCoalesced(ctx, caller, organisationId, { ...event, resourceId, environmentId })
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string }
    ctx.log.error({ requestId, eventType: event.eventType, cause: name, code }, 'a refusal was not recorded')
  }
}

/** The audit entry of a refusal: the event names what was to be made, read, changed or deleted, the resource its target. */
export function refusalEvent({ method, route, params, query }: Asked, sentence: string): AuditEvent {
  const { resource, verb, target } = parse(route, method)
  const id = target === null ? undefined : params[target.param]?.toLowerCase()
  const resourceId = id !== undefined && isId(id) ? id : null
  const resourceType = target?.resource ?? resource
  return {
    eventType: `${resource}.${verb ?? VERBS[method] ?? 'request'}_refused`,
    resourceType,
    resourceId,
    description: sentence,
    appId: resourceType === 'app' ? resourceId : resource === 'environment' ? appIn(query) : null,
    environmentId: resourceType === 'environment' ? resourceId : null,
  }
}

const VERBS: Readonly<Record<string, string>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'create',
  PUT: 'update',
  DELETE: 'delete',
}

/** What the words of a path stand for; a path without any of them is named by its last word. */
const RESOURCES: Readonly<Record<string, string>> = {
  roles: 'role',
  members: 'member',
  invites: 'invite',
  'service-accounts': 'service_account',
  tokens: 'token',
  apps: 'app',
  environments: 'environment',
  audit: 'audit_log',
  organisation: 'organisation',
  ownership: 'organisation',
  keys: 'key',
  session: 'session',
  sessions: 'session',
  password: 'user',
  email: 'user',
}

/** Words that say what a POST does, where it creates nothing. */
const POST_VERBS: Readonly<Record<string, string>> = {
  transfer: 'update',
  change: 'update',
  accept: 'accept',
}

/** What is done with the access of the member or service account that a path names. */
const ACCESS_VERBS: Readonly<Record<string, string>> = {
  GET: 'access_read',
  HEAD: 'access_read',
  PUT: 'access_change',
}

type Parsed = { resource: string; verb: string | null; target: { resource: string; param: string } | null }

/** `/v1/service-accounts/:id/tokens` is about tokens, and its target is the service account that the id names. */
function parse(route: string, method: string): Parsed {
  const words = route.split('/').filter(Boolean)
  const resources = words.flatMap((word) => RESOURCES[word] ?? [])
  const last = words.findLast((word) => !word.startsWith(':')) ?? 'request'
  const place = words.findLastIndex((word) => word.startsWith(':'))
  const before = words.slice(0, Math.max(0, place)).flatMap((word) => RESOURCES[word] ?? [])
  const resource = resources.at(-1) ?? last.replaceAll('-', '_')
  return {
    resource,
    verb: (last === 'access' && place !== -1 ? ACCESS_VERBS[method] : POST_VERBS[last]) ?? null,
    target:
      place === -1 ? null : { resource: before.at(-1) ?? resource, param: words[place]?.slice(1) ?? '' },
  }
}

const appIn = ({ app_id: id }: Asked['query']): string | null =>
  typeof id === 'string' && isId(id) ? id.toLowerCase() : null
