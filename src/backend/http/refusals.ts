import { Elysia } from 'elysia'
import type { Context } from '../../context.ts'
import { isActor } from '../../core/actor.ts'
import { recordCoalesced } from '../../core/audit/coalescing.ts'
import type { Refusal, RefusalType } from '../../core/audit/refusals.ts'
import type { Resource } from '../../core/audit/resources.ts'
import { findOrganisationId } from '../../core/deployment.ts'
import { isId } from '../../core/id.ts'
import { logRepeated } from '../../core/repeated-lines.ts'
import type { ErrorResponse } from './errors.ts'
import type { RequestState } from './request-state.ts'

/**
 * The event of a route's refusals in the audit log, declared on the route. `target` is the kind of resource that the last
 * id in the path names, or `app_id` in the query an app, or the header `Environment` an environment: the one that the
 * event begins with, unless another is declared.
 */
export type DeclaredRefusal = Readonly<{ eventType: RefusalType; target: Resource }>

/** The key of the declaration in a route's `detail`. */
export const REFUSAL = 'x-audit-refusal'

/** Adds the option `audit` to routes. */
export const audited = new Elysia({ name: 'audited', normalize: false }).macro({
  audit: (declared: RefusalType | readonly [RefusalType, { target: Resource }]) => {
    const [eventType, { target }] = typeof declared === 'string' ? [declared, resourceOf(declared)] : declared
    return { detail: { [REFUSAL]: { eventType, target } satisfies DeclaredRefusal } as object }
  },
})

/** The parameters of a request, which may hold ids: those of the path in its order, of the query, and of a header. */
export type Parameters = Readonly<{
  params: Readonly<Record<string, string | undefined>>
  query: Readonly<Record<string, unknown>>
  /** What the header `Environment` says. */
  environment?: string | null
}>

/**
 * Records a 403 of a known caller as an audit entry; counts and logs a 401. The response stands even if the entry can't be
 * written.
 */
export async function recordRefusal(
  ctx: Context,
  { caller, source, route }: RequestState,
  declared: DeclaredRefusal | undefined,
  parameters: Parameters,
  error: ErrorResponse,
): Promise<void> {
  const { requestId, ipAddress } = source
  if (error.status === 401) {
    ctx.metrics.countUnauthenticated()
    logRepeated(ctx.log, 'info', { requestId, ipAddress, route }, 'Request without valid credentials')
  }
  if (error.status !== 403 || caller === null || declared === undefined) return
  const refusal = refusalOf(declared, parameters, error.message)
  try {
    const organisationId = isActor(caller)
      ? caller.organisation.id
      : await ctx.limitSideWrites.run('without membership', () => findOrganisationId(ctx.db))
    if (organisationId === null) return
    // Paths about the caller's own account or organisation hold no id of it.
    const own: Partial<Record<string, string | null>> = { user: caller.userId, organisation: organisationId }
    const resourceId = refusal.resourceId ?? own[refusal.resourceType] ?? null
    const environmentId = refusal.environmentId ?? error.environmentId ?? null
    await recordCoalesced(ctx, caller, organisationId, { ...refusal, resourceId, environmentId })
  } catch (cause) {
    const { name, code } = cause as { name?: string; code?: string }
    const fields = { requestId, eventType: declared.eventType, cause: name, code }
    logRepeated(ctx.log, 'error', fields, 'The audit entry of a refusal could not be written')
  }
}

/** The audit entry of a refusal, about what the last id in the path names, or the app or environment elsewhere. */
export function refusalOf(
  { eventType, target }: DeclaredRefusal,
  parameters: Parameters,
  sentence: string,
): Refusal {
  const inPath = idOf(Object.values(parameters.params).at(-1))
  const elsewhere = { app: parameters.query.app_id, environment: parameters.environment }
  const resourceId = inPath ?? idOf(elsewhere[target as keyof typeof elsewhere])
  return {
    eventType,
    resourceType: target,
    resourceId,
    description: sentence,
    appId: target === 'app' ? resourceId : null,
    environmentId: target === 'environment' ? resourceId : null,
  }
}

const idOf = (text: unknown): string | null =>
  typeof text === 'string' && isId(text) ? text.toLowerCase() : null

const resourceOf = (eventType: RefusalType) => ({ target: eventType.split('.')[0] as Resource })
