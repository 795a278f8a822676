import * as accessList from '../../../src/core/access-list/queries.ts'
import * as apps from '../../../src/core/apps/queries.ts'
import * as environments from '../../../src/core/environments/queries.ts'
import * as grants from '../../../src/core/grants/queries.ts'
import * as invites from '../../../src/core/invites/queries.ts'
import * as members from '../../../src/core/members/queries.ts'
import { requireFreeName } from '../../../src/core/names.ts'
import * as organisations from '../../../src/core/organisations/queries.ts'
import type { PageRange } from '../../../src/core/pagination.ts'
import * as principals from '../../../src/core/principals/queries.ts'
import * as roles from '../../../src/core/roles/queries.ts'
import * as serviceAccounts from '../../../src/core/service-accounts/queries.ts'
import type { Statements } from './statements.ts'

export const WHOLE: PageRange = { limit: null, after: null }
export const PAGE: PageRange = { limit: 50, after: null }
export const later = (...after: string[]): PageRange => ({ limit: 50, after })

const values = { name: 'New', description: null }
const appValues = { ...values, sse_enabled: true }
const stamps = (at: Date) => ({ created_at: at, updated_at: at })

/** The statements about what an organisation consists of. */
export const organisationStatements: Statements = {
  'access-list: list': (db, it) => accessList.list(db, it.organisation, {}, PAGE),
  'access-list: list, later': (db, it) =>
    accessList.list(db, it.organisation, {}, later(it.member, it.environment)),
  'access-list: list, member': (db, it) =>
    accessList.list(db, it.organisation, { memberId: it.member }, PAGE),
  'access-list: list, service account': (db, it) =>
    accessList.list(db, it.organisation, { serviceAccountId: it.account }, PAGE),
  'access-list: list, app': (db, it) => accessList.list(db, it.organisation, { appId: it.app }, PAGE),
  'access-list: list, environment': (db, it) =>
    accessList.list(db, it.organisation, { environmentId: it.environment }, PAGE),

  'apps: list': (db, it) => apps.list(db, it.owner, PAGE),
  'apps: list, later': (db, it) => apps.list(db, it.owner, later(it.now.toISOString(), it.app)),
  'apps: list, without global access': (db, it) => apps.list(db, it.developer, PAGE),
  'apps: list, whole': (db, it) => apps.list(db, it.owner, WHOLE),
  'apps: find': (db, it) => apps.find(db, it.developer, it.app),
  'apps: insert': (db, it) =>
    apps.insert(db, it.owner, {
      id: it.new,
      organisation_id: it.organisation,
      name_key: 'new',
      ...appValues,
      ...stamps(it.now),
    }),
  'apps: update': (db, it) => apps.update(db, it.owner, it.app, 'new', appValues, it.now),
  'apps: allEnvironments': (db, it) => apps.allEnvironments(db, it.organisation, it.app),
  'apps: remove': (db, it) => apps.remove(db, it.app),

  'environments: list': (db, it) => environments.list(db, it.owner, it.app, PAGE),
  'environments: list, without global access': (db, it) =>
    environments.list(db, it.developer, it.app, later('1')),
  'environments: find': (db, it) => environments.find(db, it.developer, it.environment),
  'environments: findApp': (db, it) => environments.findApp(db, it.developer, it.app),
  'environments: principalsForNewEnvironments': (db, it) =>
    environments.principalsForNewEnvironments(db, it.organisation, it.member),
  'environments: insert': (db, it) => environments.insert(db, [newEnvironment(it)]),
  'environments: rename': (db, it) => environments.rename(db, it.environment, 'new', 'new', it.now),
  'environments: remove': (db, it) => environments.remove(db, it.environment),
  'environments: insertKeyCopies': async (db, it) => {
    await db`delete from environment_keys where principal_id = ${it.member} and environment_id = ${it.environment}`
    await environments.insertKeyCopies(
      db,
      it.organisation,
      [
        {
          principal_id: it.member,
          app_id: it.app,
          environment_id: it.environment,
          wrapped_seed: 'x',
          wrapped_salt: 'x',
        },
      ],
      it.now,
    )
  },

  'grants: findPrincipal': (db, it) =>
    grants.findPrincipal(
      db,
      it.organisation,
      { type: 'member', id: it.member },
      [it.environment],
      it.account,
    ),
  'grants: existingApps': (db, it) => grants.existingApps(db, it.organisation, [it.app]),
  'grants: insertGrants': (db, it) =>
    grants.insertGrants(db, it.organisation, it.account, [it.notGranted], it.now),
  'grants: changeGrants': (db, it) =>
    grants.changeGrants(
      db,
      it.organisation,
      { type: 'member', id: it.member },
      [it.notGranted],
      [it.environment],
      it.now,
    ),

  'invites: list': (db, it) => invites.list(db, it.organisation, it.now, PAGE),
  'invites: find': (db, it) => invites.find(db, it.organisation, it.invite, it.now),
  'invites: findDetails': (db, it) => invites.findDetails(db, it.invite, it.now),
  'invites: emailStatus': (db, it) => invites.emailStatus(db, it.organisation, 'guest-1@example.org'),
  'invites: countPending': (db, it) => invites.countPending(db, it.organisation),
  'invites: insert': (db, it) =>
    invites.insert(db, {
      id: it.new,
      organisation_id: it.organisation,
      email: 'new@example.org',
      email_key: 'new@example.org',
      role_id: it.role,
      role_kind: 'custom',
      nonce: it.hash,
      invited_by: it.member,
      created_at: it.now,
      expires_at: it.later,
    }),
  'invites: close': (db, it) => invites.close(db, it.invite, 'accepted', it.now),
  'invites: closeExpired': (db, it) => invites.closeExpired(db, it.organisation, it.now),
  'invites: cancelSentBy': (db, it) =>
    invites.cancelSentBy(db, { id: it.member, organisationId: it.organisation }, it.now),
  'invites: isMember': (db, it) => invites.isMember(db, it.user),

  'members: list': (db, it) => members.list(db, it.organisation, PAGE),
  'members: list, later': (db, it) =>
    members.list(db, it.organisation, later(it.now.toISOString(), it.member)),
  'members: list, whole': (db, it) => members.list(db, it.organisation, WHOLE),
  'members: find': (db, it) => members.find(db, it.organisation, it.member),
  'members: findWithAccess': (db, it) => members.findWithAccess(db, it.organisation, it.member),
  'members: findWithAccess, of the Owner': (db, it) =>
    members.findWithAccess(db, it.organisation, it.owner.id),
  'members: insert': async (db, it) => {
    await db`update members set removed_at = ${it.now}, role_name = 'x' where id = ${it.member}`
    await db`
      insert into principals (id, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key)
      select ${it.new}, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key
      from principals where id = ${it.member}`
    await members.insert(db, { id: it.new, organisationId: it.organisation, userId: it.user }, it.now)
  },
  'members: markUpdated': (db, it) => members.markUpdated(db, it.member, it.now),
  'members: markRemoved': (db, it) => members.markRemoved(db, it.member, 'Developer', it.now),

  'names: requireFreeName': (db, it) => requireFreeName(db, 'environments', it.app, 'new', it.environment),
  'names: requireFreeName, of apps': (db, it) => requireFreeName(db, 'apps', it.organisation, 'new'),

  'organisations: find': (db, it) => organisations.find(db, it.organisation),
  'organisations: rename': (db, it) => organisations.rename(db, it.organisation, 'new', it.now),
  'organisations: insert': (db, it) =>
    organisations.insert(db, { id: it.new, name: 'new', ...stamps(it.now) }),
  'organisations: insertRoles': (db, it) =>
    organisations.insertRoles(db, [
      {
        id: it.new,
        organisation_id: it.organisation,
        kind: 'custom',
        name: 'new',
        name_key: 'new',
        permissions: db.json({}),
        ...stamps(it.now),
      } as never,
    ]),
  'organisations: serveOrganisation': (db, it) => organisations.serveOrganisation(db, it.organisation),
  'organisations: findOwnerAndAdminRoles': (db, it) =>
    organisations.findOwnerAndAdminRoles(db, it.organisation),
  'organisations: findOwner': (db, it) => organisations.findOwner(db, it.organisation),

  'principals: insert': (db, it) =>
    principals.insert(db, {
      id: it.new,
      organisation_id: it.organisation,
      type: 'member',
      role_id: it.role,
      role_kind: 'custom',
      identity_key: 'x',
      wrapped_private_key: 'x',
    }),
  'principals: setRole': (db, it) => principals.setRole(db, it.member, { id: it.role, kind: 'custom' }),
  'principals: environmentsWithoutCopy': (db, it) =>
    principals.environmentsWithoutCopy(db, it.organisation, it.member),
  'principals: deleteCopiesWithoutGrant': (db, it) => principals.deleteCopiesWithoutGrant(db, it.member),
  'principals: remove, a member': async (db, it) => {
    await db`update members set removed_at = ${it.now}, role_name = 'x' where id = ${it.member}`
    await principals.remove(db, it.member)
  },
  'principals: remove, a service account': (db, it) => principals.remove(db, it.account),

  'roles: list': (db, it) => roles.list(db, it.organisation, PAGE),
  'roles: list, later': (db, it) =>
    roles.list(db, it.organisation, later('5', it.now.toISOString(), it.role)),
  'roles: find': (db, it) => roles.find(db, it.organisation, it.role),
  'roles: countCustom': (db, it) => roles.countCustom(db, it.organisation),
  'roles: countHolders': (db, it) => roles.countHolders(db, it.organisation, it.role),
  'roles: insert': (db, it) =>
    roles.insert(db, {
      id: it.new,
      organisation_id: it.organisation,
      kind: 'custom',
      name: 'new',
      name_key: 'new',
      description: null,
      color: '',
      permissions: {},
      ...stamps(it.now),
    } as never),
  'roles: update': (db, it) =>
    roles.update(
      db,
      it.role,
      'new',
      { ...values, color: '', permissions: { permissions: {}, appPermissions: {} } } as never,
      it.now,
    ),
  'roles: remove': (db, it) => roles.remove(db, it.unusedRole),

  'service-accounts: list': (db, it) => serviceAccounts.list(db, it.organisation, PAGE),
  'service-accounts: count': (db, it) => serviceAccounts.count(db, it.organisation),
  'service-accounts: find': (db, it) => serviceAccounts.find(db, it.organisation, it.account),
  'service-accounts: findWithAccess': (db, it) =>
    serviceAccounts.findWithAccess(db, it.organisation, it.account),
  'service-accounts: findWithTokens': (db, it) =>
    serviceAccounts.findWithTokens(db, it.organisation, it.account, later(it.now.toISOString(), it.new)),
  'service-accounts: canAccessMore': (db, it) => serviceAccounts.canAccessMore(db, it.account, it.member),
  'service-accounts: insert': async (db, it) => {
    await db`
      insert into principals (id, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key)
      select ${it.new}, organisation_id, type, role_id, role_kind, identity_key, wrapped_private_key
      from principals where id = ${it.account}`
    await serviceAccounts.insert(db, {
      id: it.new,
      organisation_id: it.organisation,
      name: 'new',
      ...stamps(it.now),
    })
  },
  'service-accounts: update': (db, it) => serviceAccounts.update(db, it.account, 'new', it.now),
}

const newEnvironment = (it: Parameters<Statements[string]>[1]) => ({
  id: it.new,
  organisation_id: it.organisation,
  app_id: it.app,
  name: 'new',
  name_key: 'new',
  env_type: 'custom' as const,
  index: 3,
  public_key: 'x',
  wrapped_seed: 'x',
  wrapped_salt: 'x',
  ...stamps(it.now),
})
