import * as invites from '../../../src/core/invites/queries.ts'
import * as members from '../../../src/core/members/queries.ts'
import * as principals from '../../../src/core/principals/queries.ts'
import * as roles from '../../../src/core/roles/queries.ts'
import * as serviceAccounts from '../../../src/core/service-accounts/queries.ts'
import { later, type Statements, stamps } from './statements.ts'

const values = { name: 'New', description: null }

/** The statements about who is in an organisation, and with which role. */
export const principalStatements: Statements = {
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
      share_of: null,
      created_at: it.now,
      expires_at: it.later,
    }),
  'invites: roleKindOf': (db, it) => invites.roleKindOf(db, it.member),
  'invites: remove': (db, it) => invites.remove(db, it.invite),
  'invites: removeExpired': (db, it) => invites.removeExpired(db, it.organisation, it.now),
  'invites: removeSentBy': (db, it) =>
    invites.removeSentBy(db, { id: it.member, organisationId: it.organisation }),

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
  'members: giveOwnShare': (db, it) => members.giveOwnShare(db, it.member),
  'members: markUpdated': (db, it) => members.markUpdated(db, it.member, it.now),
  'members: markRemoved': (db, it) => members.markRemoved(db, it.member, 'Developer', it.now),

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
