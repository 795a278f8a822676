/** Tables that stay small, each with its reason. */
export const SMALL: Readonly<Record<string, string>> = {
  deleted_environments:
    'those that have left more than was deleted with them, until the worker has been there',
  deployment: 'it has one row',
  organisations: 'one for a deployment',
  schema_floor: 'it has one row',
  schema_migrations: 'one for each migration',
  state_changes: 'the transactions under way',
  state_version: 'it has one row',
}

/** The same excuse for several statements. */
function each(
  names: readonly string[],
  tables: string,
  reason: string,
): Record<string, readonly [tables: string, reason: string]> {
  return Object.fromEntries(names.map((name) => [name, [tables, reason] as const]))
}

/** Statements that read much of a large table, each with the tables and the reason. */
export const EXCUSED: Readonly<Record<string, readonly [tables: string, reason: string]>> = {
  'apps: list, whole': ['apps, environments', 'a list without a limit gives everything'],
  ...each(
    ['members: list, whole', 'members: list, whole, by role'],
    'environments, grants, members, principals, roles, users',
    'a list without a limit gives everything',
  ),
  'service-accounts: list, whole': [
    'environments, grants, principals, roles, service_accounts, tokens',
    'a list without a limit gives everything',
  ],
  ...each(
    [
      'members: list',
      'members: list, later',
      'members: list, by role',
      'members: list, by role, later',
      'members: list, by role, descending, later',
      'members: list, newest first',
      'members: list, seen last',
      'members: list, never seen',
    ],
    'environments',
    'they are counted, once, where a member of the page has global access',
  ),
  ...each(
    [
      'members: list, by name',
      'members: list, by name, later',
      'members: list, by name, descending, later',
      'members: list, by e-mail',
    ],
    'environments, members, principals, roles, users',
    'all members are sorted: by an index of users, those who are no members would be read',
  ),
  ...each(
    [
      'members: list, search',
      'members: list, search, by role',
      'members: count, search',
      'service-accounts: list, search',
      'service-accounts: countMatching, search',
      'roles: list, search',
      'roles: count, search',
      'apps: list, search',
      'apps: count, search',
      'invites: list, search',
      'invites: count, search',
    ],
    'apps, environments, invites, members, principals, roles, service_accounts, users',
    'a text within names is looked for in all of them: no index of PostgreSQL alone finds it',
  ),
  ...each(
    ['members: count', 'service-accounts: countMatching', 'apps: count', 'invites: count', 'roles: count'],
    'apps, invites, members, roles, service_accounts',
    'a page tells how many there are in all',
  ),
  ...each(
    [
      'members: list, of a common role',
      'members: list, of a common role, by name',
      'members: count, search in a common role',
    ],
    'environments, members, principals, users',
    'the holders of one role are put into another order, or searched',
  ),
  ...each(
    ['members: list, without access', 'members: count, without access'],
    'environments, grants, members, principals, users',
    'whoever has no grant is in no index',
  ),
  ...each(
    ['roles: list', 'roles: list, later', 'roles: list, by name', 'roles: list, by creation'],
    'principals, roles',
    'the holders of each role are counted, and there are at most 1,000 custom roles',
  ),
  'access-list: list, role and app': [
    'grants, principals',
    'the grants of each holder of the role are looked at',
  ],
  'members: findWithAccess, of the Owner': ['apps, environments', 'global access is to everything'],
  'me: keysOf, of the Owner': [
    'apps, environment_keys, environments',
    'whoever has global access has a copy of every key',
  ],
  'secrets: list': ['secrets', 'a list gives everything: an environment has at most 5,000'],
  'secrets: list, of the Owner': ['secrets', 'a list gives everything: an environment has at most 5,000'],
  'secrets: list, tags': ['secrets', 'tags are looked for in one environment, which has at most 5,000'],
  'secrets: count': ['secrets', 'there are at most 5,000 in one environment, counted where some are created'],
  'room: sizes': ['secrets', 'there are at most 5,000 in one environment, measured where some are changed'],
  'secret-expiry: claimExpiring': [
    'secrets',
    'there are at most 5,000 in one environment, and few environments have some to tell of',
  ],
  'secret-versions: environmentsBeyond': [
    'environments',
    'the worker looks for them: an index of what each change counts would cost each change',
  ],
  ...each(
    ['secret-versions: countBytes', 'secret-versions: removeOldest'],
    'secrets, secret_versions',
    'the versions of one environment are counted where they may take too much: after each 2 MiB of new ones',
  ),
  'secret-versions: statesAt': [
    'secrets, secret_versions',
    'it tells of everything that one environment has, or had at a time',
  ],
  ...each(
    ['rekey: secrets', 'rekey: secrets, later', 'rekey: versions'],
    'secrets, secret_versions',
    'what is left of an environment is sorted where it is little more than a page',
  ),
  'environments: list': ['secrets', 'there are at most 5,000 in one environment, and they are counted'],
  'environments: list, by name': [
    'secrets',
    'there are at most 5,000 in one environment, and they are counted',
  ],
  'environments: list, by creation': [
    'secrets',
    'there are at most 5,000 in one environment, and they are counted',
  ],
  'secrets: expiring, of the Owner': [
    'environments, secrets',
    'it counts up to 1,000 of those that have expired, each in its environment',
  ],
  'principals: environmentsWithoutCopy': ['environments', 'a promotion copies every key'],
  'invites: countPending': ['invites', 'there are at most 1,000 pending ones'],
  'invites: removeExpired': ['invites', 'there are at most 1,000 pending ones'],
  'roles: countCustom': ['roles', 'there are at most 1,000'],
  'apps: countAll': ['apps', 'there are at most 5,000, counted where one is created'],
  'apps: allDescriptionBytes': ['apps', 'there are at most 5,000, with 8 MiB of descriptions'],
  'environments: counts': ['environments', 'there are at most 10,000, counted where some are created'],
  'service-accounts: count': ['service_accounts', 'there are at most 10,000, counted where one is created'],
  'passkeys: countForeign': ['passkeys', 'it is asked once, when a backend starts'],
  'housekeeping: removeExpired': [
    'environments, invites, sessions',
    'the worker looks for what nobody has used: an index of that would cost each use',
  ],
}
