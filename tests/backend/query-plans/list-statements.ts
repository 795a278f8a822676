import * as apps from '../../../src/core/apps/queries.ts'
import * as environments from '../../../src/core/environments/list-queries.ts'
import { filterOf } from '../../../src/core/filters.ts'
import * as invites from '../../../src/core/invites/list-queries.ts'
import * as members from '../../../src/core/members/list-queries.ts'
import type { PageRange } from '../../../src/core/pagination.ts'
import * as roles from '../../../src/core/roles/list-queries.ts'
import * as serviceAccounts from '../../../src/core/service-accounts/list-queries.ts'
import { type Orders, orderOf } from '../../../src/core/sorting.ts'
import { later, PAGE, type Statements, type Things, WHOLE } from './statements.ts'

type Send = Statements[string]
type Request = Readonly<{ q?: string; role_id?: string; sort?: string; access?: 'none'; range?: PageRange }>

const inOrder = <Row>(orders: Orders<Row>, { sort }: Request) => orderOf(orders, sort)

const membersLike =
  (request: (it: Things) => Request): Send =>
  (db, it) => {
    const asked = request(it)
    const filter = { ...filterOf(asked), withoutAccess: asked.access === 'none' }
    const order = inOrder<members.MemberListRow>(members.MEMBER_ORDERS, asked)
    return members.list(db, it.organisation, filter, order, asked.range ?? PAGE)
  }

const countMembers =
  (request: (it: Things) => Request): Send =>
  (db, it) => {
    const asked = request(it)
    return members.count(db, it.organisation, { ...filterOf(asked), withoutAccess: asked.access === 'none' })
  }

const serviceAccountsLike =
  (request: (it: Things) => Request): Send =>
  (db, it) => {
    const asked = request(it)
    const order = inOrder<serviceAccounts.ServiceAccountListRow>(
      serviceAccounts.SERVICE_ACCOUNT_ORDERS,
      asked,
    )
    const what = { filter: filterOf(asked), withTokens: true }
    return serviceAccounts.list(db, it.organisation, what, order, asked.range ?? PAGE)
  }

const rolesLike =
  (request: (it: Things) => Request): Send =>
  (db, it) => {
    const asked = request(it)
    const what = { filter: filterOf(asked), counted: { members: true, serviceAccounts: true } }
    const order = inOrder<roles.RoleListRow>(roles.ROLE_ORDERS, asked)
    return roles.list(db, it.organisation, what, order, asked.range ?? PAGE)
  }

const appsLike =
  (who: 'owner' | 'developer', request: (it: Things) => Request): Send =>
  (db, it) => {
    const asked = request(it)
    const order = inOrder<apps.AppListRow>(apps.APP_ORDERS, asked)
    return apps.list(db, it[who], filterOf(asked), order, asked.range ?? PAGE)
  }

const environmentsLike =
  (who: 'owner' | 'developer', request: (it: Things) => Request): Send =>
  (db, it) => {
    const asked = request(it)
    const order = inOrder<environments.EnvironmentListRow>(environments.ENVIRONMENT_ORDERS, asked)
    const what = { appId: it.app, filter: filterOf(asked) }
    return environments.list(db, it[who], what, order, asked.range ?? PAGE)
  }

const invitesLike =
  (request: (it: Things) => Request): Send =>
  (db, it) => {
    const asked = request(it)
    const order = inOrder(invites.INVITE_ORDERS, asked)
    const what = { organisationId: it.organisation, at: it.now, filter: filterOf(asked) }
    return invites.list(db, what, order, asked.range ?? PAGE)
  }

/** A place in the middle of the order of a field whose values are names, e-mail addresses, or times. */
const NAME = 'member 2'
const at = (it: Things) => it.now.toISOString()

/** The lists, in each of their orders and with each filter. */
export const listStatements: Statements = {
  'members: list': membersLike(() => ({})),
  'members: list, later': membersLike((it) => ({ range: later(at(it), it.member) })),
  'members: list, whole': membersLike(() => ({ range: WHOLE })),
  'members: list, by name': membersLike(() => ({ sort: 'name' })),
  'members: list, by name, later': membersLike((it) => ({ sort: 'name', range: later(NAME, it.user) })),
  'members: list, by name, descending, later': membersLike((it) => ({
    sort: '-name',
    range: later(NAME, it.user),
  })),
  'members: list, by e-mail': membersLike(() => ({ sort: 'email', range: later('member-2@example.org') })),
  'members: list, by role': membersLike(() => ({ sort: 'role' })),
  'members: list, by role, later': membersLike((it) => ({
    sort: 'role',
    range: later('developer', it.middle),
  })),
  'members: list, by role, descending, later': membersLike((it) => ({
    sort: '-role',
    range: later('developer', it.middle),
  })),
  'members: list, newest first': membersLike((it) => ({
    sort: '-created_at',
    range: later(at(it), it.member),
  })),
  'members: list, seen last': membersLike((it) => ({
    sort: '-last_seen_at',
    range: later(at(it), it.member),
  })),
  'members: list, never seen': membersLike((it) => ({
    sort: 'last_seen_at',
    range: later('-infinity', it.member),
  })),
  'members: list, of a role': membersLike((it) => ({ role_id: it.role })),
  'members: list, of a role, by name': membersLike((it) => ({ role_id: it.role, sort: 'name' })),
  'members: list, of a common role': membersLike((it) => ({ role_id: it.commonRole })),
  'members: list, of a common role, by name': membersLike((it) => ({ role_id: it.commonRole, sort: 'name' })),
  'members: list, search': membersLike(() => ({ q: 'Member 39' })),
  'members: list, search, by role': membersLike(() => ({ q: 'nobody', sort: 'role' })),
  'members: list, whole, by role': membersLike(() => ({ sort: 'role', range: WHOLE })),
  'members: count, search in a common role': countMembers((it) => ({ q: 'nobody', role_id: it.commonRole })),
  'members: count, search in a role': countMembers((it) => ({ q: 'nobody', role_id: it.role })),
  'members: list, without access': membersLike(() => ({ access: 'none' })),
  'members: count': countMembers(() => ({})),
  'members: count, of a role': countMembers((it) => ({ role_id: it.role })),
  'members: count, search': countMembers(() => ({ q: 'member 39' })),
  'members: count, without access': countMembers(() => ({ access: 'none' })),

  'service-accounts: list, whole': serviceAccountsLike(() => ({ range: WHOLE })),
  'service-accounts: list': serviceAccountsLike(() => ({})),
  'service-accounts: list, by name': serviceAccountsLike((it) => ({
    sort: 'name',
    range: later('service account 2', it.account),
  })),
  'service-accounts: list, by role': serviceAccountsLike((it) => ({
    sort: '-role',
    range: later('service', it.middle),
  })),
  'service-accounts: list, newest first': serviceAccountsLike(() => ({ sort: '-created_at' })),
  'service-accounts: list, of a role': serviceAccountsLike((it) => ({ role_id: it.role })),
  'service-accounts: list, search': serviceAccountsLike(() => ({ q: 'account 77' })),
  'service-accounts: countMatching': (db, it) =>
    serviceAccounts.countMatching(db, it.organisation, filterOf({})),
  'service-accounts: countMatching, of a role': (db, it) =>
    serviceAccounts.countMatching(db, it.organisation, filterOf({ role_id: it.role })),
  'service-accounts: countMatching, search': (db, it) =>
    serviceAccounts.countMatching(db, it.organisation, filterOf({ q: 'account 77' })),

  'roles: list': rolesLike(() => ({})),
  'roles: list, later': rolesLike((it) => ({ range: later('5', at(it), it.role) })),
  'roles: list, by name': rolesLike(() => ({ sort: 'name', range: later('role 2') })),
  'roles: list, by creation': rolesLike((it) => ({ sort: 'created_at', range: later(at(it), it.role) })),
  'roles: list, search': rolesLike(() => ({ q: 'role 77' })),
  'roles: count': (db, it) => roles.count(db, it.organisation, filterOf({})),
  'roles: count, search': (db, it) => roles.count(db, it.organisation, filterOf({ q: 'role 77' })),

  'apps: list': appsLike('owner', () => ({})),
  'apps: list, later': appsLike('owner', (it) => ({ range: later(at(it), it.app) })),
  'apps: list, without global access': appsLike('developer', () => ({})),
  'apps: list, whole': appsLike('owner', () => ({ range: WHOLE })),
  'apps: list, by name': appsLike('owner', () => ({ sort: 'name', range: later('app 2') })),
  'apps: list, by name, without global access': appsLike('developer', () => ({ sort: '-name' })),
  'apps: list, search': appsLike('owner', () => ({ q: 'app 77' })),
  'apps: count': (db, it) => apps.count(db, it.owner, filterOf({})),
  'apps: count, without global access': (db, it) => apps.count(db, it.developer, filterOf({})),
  'apps: count, search': (db, it) => apps.count(db, it.owner, filterOf({ q: 'app 77' })),

  'environments: list': environmentsLike('owner', () => ({})),
  'environments: list, without global access': environmentsLike('developer', () => ({ range: later('1') })),
  'environments: list, by name': environmentsLike('owner', () => ({ sort: '-name', q: 'environment' })),
  'environments: list, by creation': environmentsLike('owner', (it) => ({
    sort: 'created_at',
    range: later(at(it), '0'),
  })),
  'environments: count': (db, it) => environments.count(db, it.developer, it.app, filterOf({ q: 'env' })),
  'environments: count, of the Owner': (db, it) => environments.count(db, it.owner, it.app, filterOf({})),

  'invites: list': invitesLike(() => ({})),
  'invites: list, by e-mail': invitesLike(() => ({ sort: 'email', range: later('guest-2@example.org') })),
  'invites: list, by expiry': invitesLike((it) => ({ sort: 'expires_at', range: later(at(it), it.invite) })),
  'invites: list, to a role': invitesLike((it) => ({ role_id: it.role })),
  'invites: list, search': invitesLike(() => ({ q: 'guest-77' })),
  'invites: count': (db, it) =>
    invites.count(db, { organisationId: it.organisation, at: it.now, filter: filterOf({}) }),
  'invites: count, search': (db, it) =>
    invites.count(db, { organisationId: it.organisation, at: it.now, filter: filterOf({ q: 'guest-77' }) }),
}
