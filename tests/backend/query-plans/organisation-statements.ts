import * as accessList from '../../../src/core/access-list/queries.ts'
import { lockApp, shareAppOf } from '../../../src/core/apps/app-lock.ts'
import * as apps from '../../../src/core/apps/queries.ts'
import * as environments from '../../../src/core/environments/queries.ts'
import * as grants from '../../../src/core/grants/queries.ts'
import { requireFreeName } from '../../../src/core/names.ts'
import * as organisations from '../../../src/core/organisations/queries.ts'
import { later, PAGE, type Statements, stamps } from './statements.ts'

const values = { name: 'New', description: null }
const appValues = { ...values, sse_enabled: true }

/** The statements about what an organisation consists of. */
export const organisationStatements: Statements = {
  'access-list: list': (db, it) => accessList.list(db, it.organisation, {}, PAGE),
  'access-list: list, later': (db, it) =>
    accessList.list(db, it.organisation, {}, later(it.middle, it.environment)),
  'access-list: list, member': (db, it) =>
    accessList.list(db, it.organisation, { memberId: it.member }, PAGE),
  'access-list: list, service account': (db, it) =>
    accessList.list(db, it.organisation, { serviceAccountId: it.account }, PAGE),
  'access-list: list, role': (db, it) => accessList.list(db, it.organisation, { roleId: it.role }, PAGE),
  'access-list: list, role of many': (db, it) =>
    accessList.list(db, it.organisation, { roleId: it.commonRole }, PAGE),
  'access-list: list, role of many, later': (db, it) =>
    accessList.list(db, it.organisation, { roleId: it.commonRole }, later(it.middle, it.environment)),
  'access-list: list, role and app': (db, it) =>
    accessList.list(db, it.organisation, { roleId: it.commonRole, appId: it.app }, PAGE),
  'access-list: list, app': (db, it) => accessList.list(db, it.organisation, { appId: it.app }, PAGE),
  'access-list: list, environment': (db, it) =>
    accessList.list(db, it.organisation, { environmentId: it.environment }, PAGE),

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
  'apps: shareAppOf': (db, it) => shareAppOf(db, it.environment),
  'apps: lockApp': (db, it) => lockApp(db, it.app),
  'apps: countsByEnvironment': (db, it) => apps.countsByEnvironment(db, it.organisation, it.app),
  'apps: removeEnvironments': (db, it) => apps.removeEnvironments(db, [it.environment]),
  'apps: remove': (db, it) => apps.remove(db, it.app),

  'environments: find': (db, it) => environments.find(db, it.developer, it.environment),
  'environments: findApp': (db, it) => environments.findApp(db, it.developer, it.app),
  'environments: principalsForNewEnvironments': (db, it) =>
    environments.principalsForNewEnvironments(db, it.organisation, it.member),
  'environments: counts': (db, it) => environments.counts(db, it.developer),
  'apps: countAll': (db, it) => apps.countAll(db, it.organisation),
  'apps: allDescriptionBytes': (db, it) => apps.allDescriptionBytes(db, it.organisation),
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
