/** What a caller may do with a class of resources. */
export const ACTIONS = ['create', 'read', 'update', 'delete'] as const
export type Action = (typeof ACTIONS)[number]

/** The classes of a role's organisation-level permissions. */
export const ORGANISATION_CLASSES = [
  'Organisation',
  'Billing',
  'Apps',
  'Members',
  'MemberPersonalAccessTokens',
  'ServiceAccounts',
  'ServiceAccountTokens',
  'ExternalIdentities',
  'Roles',
  'IntegrationCredentials',
  'NetworkAccessPolicies',
  'Logs',
  'SSO',
  'Teams',
  'SCIM',
  'LogStreams',
] as const
export type OrganisationClass = (typeof ORGANISATION_CLASSES)[number]

/** The classes of a role's app-level permissions. */
export const APP_CLASSES = [
  'Environments',
  'Secrets',
  'DynamicSecretLeases',
  'RotatingSecrets',
  'Lockbox',
  'Logs',
  'Tokens',
  'Members',
  'ServiceAccounts',
  'Integrations',
  'EncryptionMode',
  'Teams',
] as const
export type AppClass = (typeof APP_CLASSES)[number]

export type Level = 'permissions' | 'appPermissions'

/** What a role allows at both levels; a class that is absent allows nothing. */
export type Permissions = Readonly<{
  permissions: Readonly<Record<string, readonly Action[]>>
  appPermissions: Readonly<Record<string, readonly Action[]>>
}>

export type DefaultRoleKind = 'owner' | 'admin' | 'manager' | 'developer' | 'service'
export type RoleKind = DefaultRoleKind | 'custom'

/** Owner and Admin can access every app and environment; other roles never can. */
export const hasGlobalAccess = (kind: RoleKind): boolean => kind === 'owner' || kind === 'admin'

/** The actions that exist for a class; most have all four. */
export function actionsOf(level: Level, resourceClass: string): readonly Action[] {
  if (level === 'permissions' && resourceClass === 'Logs') return ['read']
  if (level === 'appPermissions' && resourceClass === 'EncryptionMode') return ['read', 'update']
  return ACTIONS
}

/** The classes of a level, in the order in which they are shown. */
export const classesOf = (level: Level): readonly string[] =>
  level === 'permissions' ? ORGANISATION_CLASSES : APP_CLASSES

/** The five built-in roles, in the order in which they are listed. */
export const DEFAULT_ROLES: readonly Readonly<{
  kind: DefaultRoleKind
  name: string
  permissions: Permissions
}>[] = [
  { kind: 'owner', name: 'Owner', permissions: role('crud', {}, 'crud', {}) },
  { kind: 'admin', name: 'Admin', permissions: role('crud', { Organisation: 'ru' }, 'crud', {}) },
  {
    kind: 'manager',
    name: 'Manager',
    permissions: role(
      'crud',
      { Organisation: 'r', Logs: 'r', MemberPersonalAccessTokens: '', SSO: '', SCIM: '', LogStreams: '' },
      'crud',
      { Environments: 'cru', EncryptionMode: 'ru' },
    ),
  },
  {
    kind: 'developer',
    name: 'Developer',
    permissions: role(
      '',
      {
        Apps: 'r',
        Members: 'r',
        Roles: 'r',
        NetworkAccessPolicies: 'r',
        Logs: 'r',
        Teams: 'r',
        IntegrationCredentials: 'cru',
      },
      '',
      {
        Environments: 'cru',
        Secrets: 'crud',
        Lockbox: 'crud',
        Integrations: 'crud',
        DynamicSecretLeases: 'cr',
        Tokens: 'cr',
        ServiceAccounts: 'c',
        EncryptionMode: 'ru',
        RotatingSecrets: 'r',
        Logs: 'r',
        Members: 'r',
        Teams: 'r',
      },
    ),
  },
  {
    kind: 'service',
    name: 'Service',
    permissions: role(
      '',
      {
        Apps: 'cru',
        Members: 'r',
        ServiceAccounts: 'r',
        ServiceAccountTokens: 'r',
        ExternalIdentities: 'r',
        Roles: 'r',
        IntegrationCredentials: 'r',
        NetworkAccessPolicies: 'r',
      },
      '',
      {
        Environments: 'cru',
        Secrets: 'crud',
        DynamicSecretLeases: 'cr',
        RotatingSecrets: 'r',
        Members: 'r',
        ServiceAccounts: 'r',
        Integrations: 'r',
        EncryptionMode: 'r',
        Teams: 'r',
      },
    ),
  },
]

const BY_KIND = new Map<RoleKind, Permissions>(DEFAULT_ROLES.map((r) => [r.kind, r.permissions]))

/** What a role allows: the built-in definition of a default role, what is stored for a custom one. */
export function permissionsOf(kind: RoleKind, stored: Permissions | null): Permissions {
  const permissions = BY_KIND.get(kind) ?? stored
  if (permissions === null) throw new Error('a custom role has stored permissions')
  return permissions
}

/** Whether the permissions allow an action on a class. */
export function allows(
  permissions: Permissions,
  level: Level,
  resourceClass: string,
  action: Action,
): boolean {
  const classes = permissions[level]
  return Object.hasOwn(classes, resourceClass) && (classes[resourceClass]?.includes(action) ?? false)
}

/** The first action, in the order of the lists above, that `wanted` allows and `held` does not; null when there is none. */
export function firstExcess(
  wanted: Permissions,
  held: Permissions,
): { level: Level; resourceClass: string; action: Action } | null {
  for (const level of ['permissions', 'appPermissions'] as const) {
    for (const resourceClass of classesOf(level)) {
      for (const action of ACTIONS) {
        if (allows(wanted, level, resourceClass, action) && !allows(held, level, resourceClass, action)) {
          return { level, resourceClass, action }
        }
      }
    }
  }
  return null
}

type Letters = '' | 'c' | 'r' | 'u' | 'cr' | 'ru' | 'cru' | 'crud'

function role(
  organisation: Letters,
  organisationExceptions: Partial<Record<OrganisationClass, Letters>>,
  app: Letters,
  appExceptions: Partial<Record<AppClass, Letters>>,
): Permissions {
  return {
    permissions: expand('permissions', organisation, organisationExceptions),
    appPermissions: expand('appPermissions', app, appExceptions),
  }
}

function expand(level: Level, usual: Letters, exceptions: Partial<Record<string, Letters>>) {
  return Object.fromEntries(
    classesOf(level).map((resourceClass) => {
      const letters = exceptions[resourceClass] ?? usual
      return [
        resourceClass,
        actionsOf(level, resourceClass).filter((action) => letters.includes(action.charAt(0))),
      ]
    }),
  )
}
