import type { Context } from '../../context.ts'
import { isActor } from '../../core/actor.ts'
import { recordCoalesced } from '../../core/audit/coalescing.ts'
import type { Refusal } from '../../core/audit/refusals.ts'
import { findOrganisationId } from '../../core/deployment.ts'
import { isId } from '../../core/id.ts'
import type { DeclaredRefusal } from './audited.ts'
import type { ErrorResponse } from './errors.ts'
import type { RequestState } from './requests.ts'

/** The ids in a request: `params` stood in the places of the route's path, in its order. */
export type Ids = Readonly<{
  params: Readonly<Record<string, string | undefined>>
  query: Readonly<Record<string, unknown>>
}>

/**
 * Records an answer that refuses: a 403 to a known caller becomes an audit entry; a 401 is counted and logged. The
 * answer stands whether or not the entry can be written.
 */
export async function recordRefusal(
  ctx: Context,
  { caller, origin, route }: RequestState,
  declared: DeclaredRefusal | undefined,
  ids: Ids,
  failure: ErrorResponse,
): Promise<void> {
  const { requestId, ipAddress } = origin
  if (failure.status === 401) {
    ctx.metrics.unauthenticated()
    ctx.log.info({ requestId, ipAddress, route }, 'a request without valid credentials')
  }
  if (failure.status !== 403 || caller === null || declared === undefined) return
  const refusal = refusalOf(declared, ids, failure.error)
  try {
    const organisationId = isActor(caller) ? caller.organisation.id : await findOrganisationId(ctx.db)
    if (organisationId === null) return
    // Paths about the caller's own account or organisation don't name it.
    const own: Partial<Record<string, string | null>> = { user: caller.userId, organisation: organisationId }
    const resourceId = refusal.resourceId ?? own[refusal.resourceType] ?? null
    const environmentId = refusal.environmentId ?? failure.environmentId ?? null
    await recordCoalesced(ctx, caller, organisationId, { ...refusal, resourceId, environmentId })
  } catch (error) {
    const { name, code } = error as { name?: string; code?: string }
    ctx.log.error(
      { requestId, eventType: declared.eventType, cause: name, code },
      'a refusal was not recorded',
    )
  }
}

/** The audit entry of a refusal, about what the last id in the path names. */
export function refusalOf({ eventType, target }: DeclaredRefusal, ids: Ids, sentence: string): Refusal {
  const resourceId = idOf(Object.values(ids.params).at(-1))
  const isOfEnvironments = eventType.startsWith('environment.')
  return {
    eventType,
    resourceType: target,
    resourceId,
    description: sentence,
    appId: target === 'app' ? resourceId : isOfEnvironments ? idOf(ids.query.app_id) : null,
    environmentId: target === 'environment' ? resourceId : null,
  }
}

const idOf = (text: unknown): string | null =>
  typeof text === 'string' && isId(text) ? text.toLowerCase() : null
