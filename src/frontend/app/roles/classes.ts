import {
  ACTIONS,
  type Action,
  type AppClass,
  actionsOf,
  classesOf,
  type Level,
  type OrganisationClass,
} from '../../../core/permissions.ts'

/** What the console calls a class of permissions, and a sentence that says what it covers. */
type Words = Readonly<{ label: string; covers: string }>

const IN_ORGANISATION: Readonly<Record<OrganisationClass, Words>> = {
  Organisation: { label: 'Organisation', covers: 'Its name, plan and ownership.' },
  Billing: { label: 'Billing', covers: 'Invoices and the plan.' },
  Apps: { label: 'Apps', covers: 'Create, rename and delete apps.' },
  Members: { label: 'Members', covers: 'Their roles and access. Nearly administrative.' },
  MemberPersonalAccessTokens: { label: 'Personal tokens', covers: 'Other people’s access tokens.' },
  ServiceAccounts: { label: 'Service accounts', covers: 'Machines that hold a role.' },
  ServiceAccountTokens: { label: 'Service account tokens', covers: 'Their credentials, shown once.' },
  ExternalIdentities: { label: 'External identities', covers: 'Sign-in of machines by a trusted issuer.' },
  Roles: { label: 'Roles', covers: 'Custom roles. Nobody can add what they lack.' },
  IntegrationCredentials: { label: 'Integrations', covers: 'Credentials of connected services.' },
  NetworkAccessPolicies: { label: 'Network policies', covers: 'Addresses that may call the API.' },
  Logs: { label: 'Audit log', covers: 'What everyone did. Read only, for everyone.' },
  SSO: { label: 'Single sign-on', covers: 'How people sign in.' },
  Teams: { label: 'Teams', covers: 'Groups of members.' },
  SCIM: { label: 'SCIM', covers: 'Accounts kept by a directory.' },
  LogStreams: { label: 'Log streams', covers: 'Copies of the log sent elsewhere.' },
}

const IN_APPS: Readonly<Record<AppClass, Words>> = {
  Environments: { label: 'Environments', covers: 'Development, Staging, Production and more.' },
  Secrets: { label: 'Secrets', covers: 'Names, values, comments, versions.' },
  DynamicSecretLeases: { label: 'Dynamic secret leases', covers: 'Credentials made for a while.' },
  RotatingSecrets: { label: 'Rotating secrets', covers: 'Values that change by schedule.' },
  Lockbox: { label: 'Lockbox', covers: 'One secret, sent by a link.' },
  Logs: { label: 'Audit log', covers: 'Entries about this app.' },
  Tokens: { label: 'Tokens', covers: 'Tokens that open this app only.' },
  Members: { label: 'Members', covers: 'Who can open this app.' },
  ServiceAccounts: { label: 'Service accounts', covers: 'Which machines can open this app.' },
  Integrations: { label: 'Integrations', covers: 'Syncs to other services.' },
  EncryptionMode: { label: 'Encryption', covers: 'May the server read secrets?' },
  Teams: { label: 'Teams', covers: 'Teams with access to this app.' },
}

/** What the two levels are called, and where they hold. */
export const LEVELS: readonly Readonly<{ level: Level; title: string; holds: string }>[] = [
  { level: 'permissions', title: 'In the organisation', holds: 'Holds everywhere, whatever the access.' },
  {
    level: 'appPermissions',
    title: 'In apps',
    holds: 'Holds only in environments that the holder can open.',
  },
]

/** What the console calls a class; one that it doesn't know goes by its own name. */
export function wordsOf(level: Level, resourceClass: string): Words {
  const known: Readonly<Record<string, Words>> = level === 'permissions' ? IN_ORGANISATION : IN_APPS
  return (
    (Object.hasOwn(known, resourceClass) ? known[resourceClass] : null) ?? {
      label: resourceClass,
      covers: '',
    }
  )
}

/** One line of the matrix: a class, and the actions that exist for it. */
export type ClassRow = Readonly<{ level: Level; resourceClass: string; actions: readonly Action[] } & Words>

/** The lines of a level, in their order. */
export const rowsOf = (level: Level): readonly ClassRow[] =>
  classesOf(level).map((resourceClass) => ({
    level,
    resourceClass,
    actions: actionsOf(level, resourceClass),
    ...wordsOf(level, resourceClass),
  }))

export { ACTIONS, type Action, type Level }
