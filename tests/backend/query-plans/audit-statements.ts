import type { Context } from '../../../src/context.ts'
import * as accessChanges from '../../../src/core/audit/access-change-queries.ts'
import { visibilityFor } from '../../../src/core/audit/entry.ts'
import * as log from '../../../src/core/audit/entry-queries.ts'
import * as audit from '../../../src/core/audit/queries.ts'
import { findOrganisationId, requireServerSecret } from '../../../src/core/deployment.ts'
import { removeExpired } from '../../../src/core/housekeeping.ts'
import { changeOrganisation } from '../../../src/core/transactions.ts'
import type { Database } from '../../../src/platform/postgres/database.ts'
import { later, PAGE, type Statements, type Things } from './statements.ts'

const LONG_AGO = new Date(0)

const entry = (ctx: Context, it: Things) => ({
  id: it.new,
  organisation_id: it.organisation,
  event_type: 'role.update_refused',
  resource_type: 'role',
  resource_id: it.role,
  app_id: null,
  environment_id: null,
  actor_type: 'user' as const,
  actor_id: it.member,
  actor_metadata: ctx.db.json({}),
  resource_metadata: ctx.db.json({}),
  old_values: null,
  new_values: null,
  description: 'Refused.',
  ip_address: null,
  user_agent: null,
  request_id: null,
  coalesce_key: it.hash,
  timestamp: it.now,
})

/** The statements about the audit log, and those that no request sends by itself. */
export const auditStatements: Statements = {
  'audit: list': (db, it) => log.list(db, it.organisation, {}, null, PAGE),
  'audit: list, later': (db, it) =>
    log.list(db, it.organisation, {}, null, later(it.now.toISOString(), it.new)),
  'audit: list, from and to': (db, it) =>
    log.list(db, it.organisation, { from: new Date(it.now.getTime() - 60_000), to: it.later }, null, PAGE),
  'audit: list, resource type': (db, it) =>
    log.list(db, it.organisation, { resourceType: 'role' }, null, PAGE),
  'audit: list, resource': (db, it) => log.list(db, it.organisation, { resourceId: it.app }, null, PAGE),
  'audit: list, event': (db, it) => log.list(db, it.organisation, { eventType: 'role.updated' }, null, PAGE),
  'audit: list, event that never happened': (db, it) =>
    log.list(db, it.organisation, { eventType: 'app.deleted' }, null, PAGE),
  'audit: list, actor type': (db, it) => log.list(db, it.organisation, { actorType: 'operator' }, null, PAGE),
  'audit: list, actor': (db, it) => log.list(db, it.organisation, { actorId: it.member }, null, PAGE),
  'audit: list, actor and event in no entry': (db, it) =>
    log.list(db, it.organisation, { actorId: it.automation, eventType: 'user.signed_in' }, null, PAGE),
  'audit: list, actor and resource type in no entry': (db, it) =>
    log.list(db, it.organisation, { actorId: it.automation, resourceType: 'user' }, null, PAGE),
  'audit: list, actor and actor type in no entry': (db, it) =>
    log.list(db, it.organisation, { actorId: it.automation, actorType: 'user' }, null, PAGE),
  'audit: list, actor type and event in no entry': (db, it) =>
    log.list(db, it.organisation, { actorType: 'service_account', eventType: 'user.signed_in' }, null, PAGE),
  'audit: list, actor type and resource type in no entry': (db, it) =>
    log.list(db, it.organisation, { actorType: 'service_account', resourceType: 'user' }, null, PAGE),
  'audit: list, without global access': (db, it) =>
    log.list(db, it.organisation, {}, visibilityFor(it.developer), PAGE),
  'audit: list, app': (db, it) => log.list(db, it.organisation, { appId: it.app }, null, PAGE),
  'audit: list, app, later': (db, it) =>
    log.list(db, it.organisation, { appId: it.app }, null, later(it.now.toISOString(), it.new)),
  'audit: list, environment': (db, it) =>
    log.list(db, it.organisation, { environmentId: it.environment }, null, PAGE),
  'audit: list, app and environment': (db, it) =>
    log.list(db, it.organisation, { appId: it.app, environmentId: it.environment }, null, PAGE),
  'audit: list, app and event': (db, it) =>
    log.list(db, it.organisation, { appId: it.app, eventType: 'app.updated' }, null, PAGE),
  'audit: list, environment and event in no entry': (db, it) =>
    log.list(db, it.organisation, { environmentId: it.environment, eventType: 'app.updated' }, null, PAGE),
  'audit: list, app and changes of access': (db, it) =>
    log.list(db, it.organisation, { appId: it.app, eventType: 'member.access_changed' }, null, PAGE),
  'audit: list, environment and members': (db, it) =>
    log.list(db, it.organisation, { environmentId: it.environment, resourceType: 'member' }, null, PAGE),
  'audit: list, app, without global access': (db, it) =>
    log.list(db, it.organisation, { appId: it.app }, visibilityFor(it.developer), PAGE),
  'audit: list, environment, without global access': (db, it) =>
    log.list(db, it.organisation, { environmentId: it.environment }, visibilityFor(it.developer), PAGE),
  'audit: list, refused': (db, it) => log.list(db, it.organisation, { outcome: 'refused' }, null, PAGE),
  'audit: list, done': (db, it) => log.list(db, it.organisation, { outcome: 'done' }, null, PAGE),
  'audit: list, refused, of an app': (db, it) =>
    log.list(db, it.organisation, { outcome: 'refused', appId: it.app }, null, PAGE),
  'audit: list, denied': (db, it) =>
    log.list(db, it.organisation, { outcome: 'denied', from: LONG_AGO }, null, PAGE),
  'access-changes: removeBefore': (db, it) =>
    accessChanges.removeBefore(db, new Date(it.now.getTime() - 2 * 86_400_000), 50),
  'audit: countDenials': (db, it) => log.countDenials(db, it.organisation, null, LONG_AGO, 1000),
  'audit: countDenials, without global access': (db, it) =>
    log.countDenials(db, it.organisation, visibilityFor(it.developer), LONG_AGO, 1000),
  'audit: insert': (db, it, ctx) => audit.insert(db, [entry(ctx, it)]),
  'audit: removeBefore': (db, it) =>
    audit.removeBefore(db, it.organisation, new Date(it.now.getTime() - 19_990_000), 50),
  'audit: replaceNewValues': (db, it, ctx) => audit.replaceNewValues(db, it.entry, ctx.db.json({})),
  'audit: countAgain': (db, it, ctx) => audit.countAgain(db, entry(ctx, it), entry(ctx, it)),
  'audit: lockActor': (db, it) => audit.lockActor(db, it.member),
  'audit: countCoalesced': (db, it) => audit.countCoalesced(db, it.organisation, it.member, it.now),
  'audit: environmentOfSecret': (db, it) => audit.environmentOfSecret(db, it.secret),
  'audit: insertOrCount': (db, it, ctx) => audit.insertOrCount(db, entry(ctx, it)),

  'deployment: findOrganisationId': (db) => findOrganisationId(db),
  'deployment: requireServerSecret': (db, _, ctx) => requireServerSecret(db as unknown as Database, ctx.keys),
  'transactions: changeOrganisation': (_, it, ctx) => changeOrganisation(ctx, it.owner, async () => {}),
  'transactions: changeOrganisation with a session': (_, it, ctx) => {
    const credential = { kind: 'session', id: it.session, text: '' } as const
    return changeOrganisation(ctx, { ...it.owner, credential }, async () => {})
  },
  'housekeeping: removeExpired': (_db, _it, ctx) => removeExpired(ctx),
}
