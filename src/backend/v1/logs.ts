import { Elysia, t } from 'elysia'
import type { Context } from '../../context.ts'
import * as entries from '../../core/audit/entries.ts'
import { Entry, type EntryFilter } from '../../core/audit/entry.ts'
import { ListOf } from '../../core/contract/lists.ts'
import { Instant, instantFrom } from '../../core/instant.ts'
import { guard } from '../http/guard.ts'
import type { RequestStates } from '../http/requests.ts'
import { ExactText, PageQuery, responses } from '../http/responses.ts'

const Query = t.Composite(
  [
    PageQuery,
    t.Object({
      from: t.Optional(Instant('Entries at this instant or later.')),
      to: t.Optional(Instant('Entries before this instant.')),
      resource_type: ExactText('Such as `role`.'),
      resource_id: ExactText('The id of the resource.'),
      event_type: ExactText('Such as `role.created`.'),
      actor_type: ExactText('`user`, `service_account` or `operator`.'),
      actor_id: ExactText('The id of the actor.'),
      app_id: ExactText('About this app, its environments and their secrets, and access to them.'),
      environment_id: ExactText('About this environment, its secrets, and access to it.'),
      outcome: t.Optional(
        t.Union([t.Literal('refused'), t.Literal('done')], {
          description: '`refused`: requests that were refused; `done`: everything else.',
        }),
      ),
    }),
  ],
  { additionalProperties: true },
)

/** `/v1/logs/audit`: the audit log. */
export const logsRoutes = (ctx: Context, requests: RequestStates) =>
  new Elysia({ prefix: '/v1/logs', normalize: false })
    .use(guard(ctx, requests))
    .get('/audit', ({ actor, query }) => entries.list(ctx, actor, filterOf(query), query), {
      permission: ['Logs', 'read'],
      audit: 'audit_log.read_refused',
      query: Query,
      scans: true,
      response: responses(200, ListOf(Entry), 400, 401, 403),
      remember: { not: 'every change adds to it, and so does a refusal' },
      detail: {
        tags: ['Audit log'],
        summary: 'Read the audit log',
        description:
          "Newest first, always in pages. Without global access, entries about apps and environments that the caller can't access are left out, and other actors' addresses are null.",
      },
    })

function filterOf(query: typeof Query.static): EntryFilter {
  const from = instantFrom(query.from ?? '')
  const to = instantFrom(query.to ?? '')
  return {
    ...(from !== null && { from }),
    ...(to !== null && { to }),
    ...(query.resource_type !== undefined && { resourceType: query.resource_type }),
    ...(query.resource_id !== undefined && { resourceId: query.resource_id }),
    ...(query.event_type !== undefined && { eventType: query.event_type }),
    ...(query.actor_type !== undefined && { actorType: query.actor_type }),
    ...(query.actor_id !== undefined && { actorId: query.actor_id }),
    ...(query.app_id !== undefined && { appId: query.app_id }),
    ...(query.environment_id !== undefined && { environmentId: query.environment_id }),
    ...(query.outcome !== undefined && { outcome: query.outcome }),
  }
}
