import { ACCOUNT_EVENTS, type Definition } from './account-events.ts'

const name = ['name'] as const
const roleValues = ['name', 'description', 'color', 'permissions'] as const
const secretValues = ['secrets', 'total'] as const
const token = ['name', 'expiresAt'] as const

/** Every change and every sign-in that the audit log records. The documentation's list is made from it. */
export const EVENTS = {
  'app.created': {
    resource: 'app',
    meaning: 'An app was created; `environments` is how many it has.',
    metadata: name,
    new: ['name', 'description', 'sseEnabled', 'environments'],
  },
  'app.updated': {
    resource: 'app',
    meaning: 'The name, description or server-side encryption of an app was changed.',
    metadata: name,
    old: ['name', 'description', 'sseEnabled'],
    new: ['name', 'description', 'sseEnabled'],
  },
  'app.deleted': {
    resource: 'app',
    meaning: 'An app was deleted; `environments` is how many it had.',
    metadata: name,
    old: ['name', 'description', 'sseEnabled', 'environments'],
  },
  'audit_log.entries_deleted': {
    resource: 'audit_log',
    meaning: 'Entries older than AUDIT_RETENTION_DAYS were deleted.',
    new: ['count', 'before'],
  },
  'environment.created': {
    resource: 'environment',
    meaning: 'An environment was added to an app.',
    metadata: name,
    new: ['name', 'envType'],
  },
  'environment.updated': {
    resource: 'environment',
    meaning: 'An environment was renamed.',
    metadata: name,
    old: name,
    new: name,
  },
  'environment.keys_renewed': {
    resource: 'environment',
    meaning:
      'An environment got new keys; `secrets` is how many secrets were sealed again, `principals` for how many the keys were wrapped.',
    metadata: name,
    new: ['secrets', 'principals'],
  },
  'environment.deleted': {
    resource: 'environment',
    meaning: 'An environment was deleted.',
    metadata: name,
    old: ['name', 'envType'],
  },
  'invite.created': { resource: 'invite', meaning: 'An invite was created.', new: ['role', 'expiresAt'] },
  'invite.accepted': {
    resource: 'invite',
    meaning: 'An invite was accepted; its user is now a member.',
    new: ['memberId', 'role'],
  },
  'invite.resent': { resource: 'invite', meaning: 'An invite was mailed again.' },
  'invite.cancelled': {
    resource: 'invite',
    meaning: 'An invite was cancelled, by itself or with the removal of its sender.',
    old: ['role'],
  },
  'job.retried': {
    resource: 'job',
    meaning: 'Jobs that had failed for good were enqueued again.',
    new: ['count', 'names'],
  },
  'job.dropped': {
    resource: 'job',
    meaning: 'Jobs that had failed for good were deleted.',
    old: ['count', 'names'],
  },
  'member.access_changed': {
    resource: 'member',
    meaning: 'Environments were granted to a member, or revoked.',
    metadata: name,
    old: ['revoked', 'total'],
    new: ['granted', 'total'],
  },
  'member.role_changed': {
    resource: 'member',
    meaning: 'A member was given another role.',
    metadata: name,
    old: ['role'],
    new: ['role'],
  },
  'member.removed': {
    resource: 'member',
    meaning:
      'A member was removed from the organisation; `tokens` is how many tokens went with it that had not expired.',
    metadata: name,
    old: ['role', 'tokens'],
  },
  'organisation.created': {
    resource: 'organisation',
    meaning: 'The first account was registered; this created the organisation.',
    metadata: name,
  },
  'organisation.updated': {
    resource: 'organisation',
    meaning: 'The organisation was renamed.',
    metadata: name,
    old: name,
    new: name,
  },
  'organisation.ownership_transferred': {
    resource: 'organisation',
    meaning: 'Another member became the Owner, and the former Owner an Admin.',
    old: ['ownerId'],
    new: ['ownerId'],
  },
  'role.created': {
    resource: 'role',
    meaning: 'A custom role was created.',
    metadata: name,
    new: roleValues,
  },
  'role.updated': {
    resource: 'role',
    meaning: 'A custom role was changed.',
    metadata: name,
    old: roleValues,
    new: roleValues,
  },
  'role.deleted': {
    resource: 'role',
    meaning: 'A custom role was deleted.',
    metadata: name,
    old: roleValues,
  },
  'secret.created': {
    resource: 'environment',
    meaning: 'Secrets were created in an environment: the first 100, and how many.',
    metadata: name,
    new: secretValues,
  },
  'secret.updated': {
    resource: 'environment',
    meaning: 'Secrets of an environment were changed.',
    metadata: name,
    new: secretValues,
  },
  'secret.deleted': {
    resource: 'environment',
    meaning: 'Secrets of an environment were deleted.',
    metadata: name,
    new: secretValues,
  },
  'secret.restored': {
    resource: 'environment',
    meaning: 'Secrets of an environment were brought back to an earlier version.',
    metadata: name,
    new: secretValues,
  },
  'secret.override_changed': {
    resource: 'environment',
    meaning: 'A member set or removed its own values of secrets.',
    metadata: name,
    new: secretValues,
  },
  'secret.read': {
    resource: 'environment',
    meaning:
      'Secrets of an environment were read. Reads of one minute with the same token, address, client and secrets share an entry with their count. Beyond 3,000 entries of one actor in an hour, and 100 in a minute, those of one environment and hour share one.',
    metadata: name,
    new: secretValues,
  },
  'service_account.created': {
    resource: 'service_account',
    meaning: 'A service account was created with its first token.',
    metadata: name,
    new: ['name', 'role', 'initialToken'],
  },
  'service_account.updated': {
    resource: 'service_account',
    meaning: 'The name or role of a service account was changed.',
    metadata: name,
    old: ['name', 'role'],
    new: ['name', 'role'],
  },
  'service_account.access_changed': {
    resource: 'service_account',
    meaning: 'Environments were granted to a service account, or revoked.',
    metadata: name,
    old: ['revoked', 'total'],
    new: ['granted', 'total'],
  },
  'service_account.deleted': {
    resource: 'service_account',
    meaning: 'A service account was deleted; `tokens` is how many tokens went with it that had not expired.',
    metadata: name,
    old: ['name', 'role', 'tokens'],
  },
  'session.ended': {
    resource: 'session',
    meaning: 'A session was ended: by signing out, or from another session.',
  },
  'token.created': {
    resource: 'token',
    meaning: 'A token of a member or of a service account was created.',
    metadata: ['name', 'expiresAt', 'ownerId'],
    new: token,
  },
  'token.deleted': {
    resource: 'token',
    meaning: 'A token of a member or of a service account was revoked.',
    metadata: ['name', 'expiresAt', 'ownerId'],
    old: token,
  },
  ...ACCOUNT_EVENTS,
} as const satisfies Readonly<Record<string, Definition>>

export type EventType = keyof typeof EVENTS

/** One entry to record: exactly the fields that `EVENTS` lists for its event. */
export type EventOf<T extends EventType> = Readonly<{
  eventType: T
  resourceId: string | null
  /** What happened this time, in a sentence. */
  description: string
  /** The app and the environment that the entry is about: callers that can't access them don't see it. */
  appId?: string | null
  environmentId?: string | null
}> &
  Property<'resourceMetadata', Listed<T, 'metadata'>> &
  Property<'oldValues', Listed<T, 'old'>> &
  Property<'newValues', Listed<T, 'new'>>

/** Any entry to record. Never key material, a password, a token or an e-mail address. */
export type AuditEvent = { [T in EventType]: EventOf<T> }[EventType]

/** The fields that an event lists under a key of its definition; never where it has no such key. */
type Listed<T extends EventType, Key extends keyof Definition> =
  (typeof EVENTS)[T] extends Readonly<Record<Key, readonly (infer Field extends string)[]>> ? Field : never

/** A property that holds exactly these fields; without fields it is left out. */
type Property<Name extends string, Field extends PropertyKey> = [Field] extends [never]
  ? Readonly<Partial<Record<Name, undefined>>>
  : Readonly<Record<Name, Readonly<Record<Field, unknown>>>>
