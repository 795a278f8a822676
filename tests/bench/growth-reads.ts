import type { App } from '../../src/backend/app.ts'
import type { TestContext } from '../support/context.ts'

/** An organisation of one size, and what the paths of its reads are made from. */
export type Place = Readonly<{
  ctx: TestContext
  app: App
  asked: Set<string>
  ada: string
  developer: string
  ownSession: string
  ids: Readonly<Record<'member' | 'account' | 'role' | 'app' | 'environment' | 'automation' | 'user', string>>
  /** The query for an hour in the middle of the audit log. */
  between: string
  after: Readonly<Record<'members' | 'service-accounts' | 'apps' | 'access' | 'audit', string>>
}>

/** The path that is read in a place, and by whom. */
export type Read = (place: Place) => Readonly<{ path: string; token: string }>

const asOwner =
  (path: (place: Place) => string): Read =>
  (place) => ({ path: path(place), token: place.ada })
const asDeveloper =
  (path: (place: Place) => string): Read =>
  (place) => ({ path: path(place), token: place.developer })

const audit = (query: (place: Place) => string): Read => asOwner((place) => `/v1/logs/audit?${query(place)}`)
const access = (query: (place: Place) => string): Read => asOwner((place) => `/v1/access?${query(place)}`)
const hidden = (query: (place: Place) => string): Read =>
  asDeveloper((place) => `/v1/logs/audit?${query(place)}`)

/** Every list and read under /v1, by table. */
export const READS: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  'Pages of 50': {
    members: asOwner(() => '/v1/members?limit=50'),
    'members, from the middle': asOwner(({ after }) => `/v1/members?cursor=${after.members}`),
    'members by name': asOwner(() => '/v1/members?limit=50&sort=name'),
    'members by role': asOwner(() => '/v1/members?limit=50&sort=role'),
    'members, last seen first': asOwner(() => '/v1/members?limit=50&sort=-last_seen_at'),
    'members of a role': asOwner(({ ids }) => `/v1/members?limit=50&role_id=${ids.role}`),
    'service accounts': asOwner(() => '/v1/service-accounts?limit=50'),
    'service accounts by name': asOwner(() => '/v1/service-accounts?limit=50&sort=name'),
    'service accounts, from the middle': asOwner(
      ({ after }) => `/v1/service-accounts?cursor=${after['service-accounts']}`,
    ),
    roles: asOwner(() => '/v1/roles?limit=50'),
    apps: asOwner(() => '/v1/apps?limit=50'),
    'apps, from the middle': asOwner(({ after }) => `/v1/apps?cursor=${after.apps}`),
    'apps, as a Developer of 10': asDeveloper(() => '/v1/apps?limit=50'),
    'environments of an app': asOwner(({ ids }) => `/v1/environments?app_id=${ids.app}&limit=50`),
    invites: asOwner(() => '/v1/members/invites?limit=50'),
    'own tokens': asDeveloper(() => '/v1/tokens?limit=50'),
    'tokens of a service account': asOwner(
      ({ ids }) => `/v1/service-accounts/${ids.account}/tokens?limit=50`,
    ),
    'own sessions': (place) => ({ path: '/service/auth/sessions?limit=50', token: place.ownSession }),
  },
  'Pages of 50 that look at everything': {
    'members, q that many have': asOwner(() => '/v1/members?limit=50&q=MEMBER'),
    'members, q that one has': asOwner(() => '/v1/members?limit=50&q=member-7@'),
    'members, q that nobody has': asOwner(() => '/v1/members?limit=50&q=nobody&sort=name'),
    'members without access': asOwner(() => '/v1/members?limit=50&access=none'),
    'service accounts, q': asOwner(() => '/v1/service-accounts?limit=50&q=account%207'),
    'apps, q': asOwner(() => '/v1/apps?limit=50&q=app%207'),
  },
  'The list of access, pages of 50': {
    'without a filter': access(() => ''),
    'without a filter, from the middle': access(({ after }) => `cursor=${after.access}`),
    member_id: access(({ ids }) => `member_id=${ids.member}`),
    service_account_id: access(({ ids }) => `service_account_id=${ids.account}`),
    role_id: access(({ ids }) => `role_id=${ids.role}`),
    app_id: access(({ ids }) => `app_id=${ids.app}`),
    environment_id: access(({ ids }) => `environment_id=${ids.environment}`),
    'app_id and environment_id': access(({ ids }) => `app_id=${ids.app}&environment_id=${ids.environment}`),
    'member_id and environment_id': access(
      ({ ids }) => `member_id=${ids.member}&environment_id=${ids.environment}`,
    ),
  },
  'The audit log, pages of 50': {
    'without a filter': audit(() => ''),
    'from the middle': audit(({ after }) => `cursor=${after.audit}`),
    'from and to': audit(({ between }) => between),
    resource_type: audit(() => 'resource_type=role'),
    resource_id: audit(({ ids }) => `resource_id=${ids.environment}`),
    event_type: audit(() => 'event_type=role.updated'),
    'event_type that never happened': audit(() => 'event_type=app.deleted'),
    actor_type: audit(() => 'actor_type=service_account'),
    'actor_type that never acted': audit(() => 'actor_type=operator'),
    actor_id: audit(({ ids }) => `actor_id=${ids.user}`),
    'actor_id that acts most': audit(({ ids }) => `actor_id=${ids.automation}`),
    'actor_id and event_type, in no entry': audit(
      ({ ids }) => `actor_id=${ids.automation}&event_type=user.signed_in`,
    ),
    'actor_id and resource_type, in no entry': audit(
      ({ ids }) => `actor_id=${ids.automation}&resource_type=user`,
    ),
    'actor_id and actor_type, in no entry': audit(({ ids }) => `actor_id=${ids.automation}&actor_type=user`),
    'actor_type and event_type, in no entry': audit(
      () => 'actor_type=service_account&event_type=user.signed_in',
    ),
    'actor_type and resource_type, in no entry': audit(() => 'actor_type=service_account&resource_type=user'),
    'event_type and resource_type, in no entry': audit(() => 'event_type=user.signed_in&resource_type=app'),
    'resource_id and event_type': audit(
      ({ ids }) => `resource_id=${ids.environment}&event_type=environment.updated`,
    ),
    app_id: audit(({ ids }) => `app_id=${ids.app}`),
    environment_id: audit(({ ids }) => `environment_id=${ids.environment}`),
    'app_id and event_type, in no entry': audit(({ ids }) => `app_id=${ids.app}&event_type=app.deleted`),
    outcome: audit(() => 'outcome=refused'),
    'app_id and outcome': audit(({ ids }) => `app_id=${ids.app}&outcome=refused`),
    'as a Developer of 10 apps': hidden(() => ''),
    'as a Developer of 10 apps, event_type': hidden(() => 'event_type=environment.updated'),
    'as a Developer of 10 apps, resource_type': hidden(() => 'resource_type=app'),
    'as a Developer of 10 apps, actor_id': hidden(({ ids }) => `actor_id=${ids.automation}`),
  },
  'What needs attention': {
    'of the Owner': asOwner(() => '/v1/attention'),
    'of a Developer of 10 apps': asDeveloper(() => '/v1/attention'),
  },
  'One thing': {
    caller: asDeveloper(() => '/v1/me'),
    organisation: asOwner(() => '/v1/organisation'),
    member: asOwner(({ ids }) => `/v1/members/${ids.member}`),
    'service account': asOwner(({ ids }) => `/v1/service-accounts/${ids.account}`),
    role: asOwner(({ ids }) => `/v1/roles/${ids.role}`),
    app: asOwner(({ ids }) => `/v1/apps/${ids.app}`),
    environment: asOwner(({ ids }) => `/v1/environments/${ids.environment}`),
    'access of a member, 10 apps': asOwner(({ ids }) => `/v1/members/${ids.member}/access`),
    'access of a service account, 10 apps': asOwner(
      ({ ids }) => `/v1/service-accounts/${ids.account}/access`,
    ),
    'own keys, 30 environments': asDeveloper(() => '/v1/me/keys'),
  },
  'Whole lists, which grow with what they list': {
    members: asOwner(() => '/v1/members'),
    'service accounts': asOwner(() => '/v1/service-accounts'),
    roles: asOwner(() => '/v1/roles'),
    apps: asOwner(() => '/v1/apps'),
    invites: asOwner(() => '/v1/members/invites'),
    'own keys of the Owner': asOwner(() => '/v1/me/keys'),
  },
}
