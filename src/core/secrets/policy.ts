import { can, type RoleHolder } from '../access.ts'
import { forbid, type Policy } from '../policy.ts'
import { MAX_OVERRIDES, MAX_SECRETS, MAX_STORED_BYTES, type SecretType } from './secret.ts'

/** Adding secrets to an environment that has `present` of them. */
export const add: Policy<{ present: number; added: number }> = [
  forbid(
    `An environment can have at most ${MAX_SECRETS.toLocaleString('en')} secrets.`,
    ({ present, added }) => added > 0 && present + added > MAX_SECRETS,
  ),
]

type Growth = { before: number; after: number }

/** Having the secrets of an environment take another number of bytes. What takes too much already may become less. */
export const grow: Policy<Growth> = [
  forbid(
    `The secrets of an environment can take at most ${mebibytes(MAX_STORED_BYTES.secrets)} as they are stored, sealed. Delete some, make their values smaller, or put some into another environment.`,
    ({ before, after }) => after > MAX_STORED_BYTES.secrets && after > before,
  ),
]

/** Having one's own values in an environment take another number of bytes. */
export const growOverrides: Policy<Growth> = [
  forbid(
    `Your overrides in an environment can take at most ${mebibytes(MAX_STORED_BYTES.overrides)} as they are stored, sealed. Remove some, or make them smaller.`,
    ({ before, after }) => after > MAX_STORED_BYTES.overrides && after > before,
  ),
]

/** Having more values of one's own, in all environments. */
export const addOverrides: Policy<Growth> = [
  forbid(
    `A member can have at most ${MAX_OVERRIDES.ofMember.toLocaleString('en')} overrides. Remove some.`,
    ({ before, after }) => after > MAX_OVERRIDES.ofMember && after > before,
  ),
]

/** Having more values of one's own in an environment, where all members have theirs. */
export const addOverridesBesideOthers: Policy<Growth> = [
  forbid(
    `An environment can have at most ${MAX_OVERRIDES.inEnvironment.toLocaleString('en')} overrides of all members together.`,
    ({ before, after }) => after > MAX_OVERRIDES.inEnvironment && after > before,
  ),
]

/** Changing what a secret is. */
export const changeType: Policy<{ before: SecretType; after: SecretType }> = [
  forbid('A sealed secret stays sealed.', ({ before, after }) => before === 'sealed' && after !== 'sealed'),
]

/** Having a value of one's own for a secret. */
export const override: Policy<{ actor: Pick<RoleHolder, 'type'> }> = [
  forbid(
    'A service account has no overrides: give it a secret or an environment of its own.',
    ({ actor }) => actor.type === 'service_account',
  ),
]

/** Bringing a secret back to what it was. */
export const restore: Policy<{ actor: Pick<RoleHolder, 'role'>; isDeleted: boolean }> = [
  forbid(
    "You don't have permission to create secrets, and this one is deleted.",
    ({ actor, isDeleted }) => isDeleted && !can(actor, 'create', 'Secrets', 'appPermissions'),
  ),
]

/** Bringing all secrets of an environment back to what they were. */
export const restoreAll: Policy<{ actor: Pick<RoleHolder, 'role'>; created: number; deleted: number }> = [
  forbid(
    "You don't have permission to delete secrets, and there are some that were not there then.",
    ({ actor, deleted }) => deleted > 0 && !can(actor, 'delete', 'Secrets', 'appPermissions'),
  ),
  forbid(
    "You don't have permission to create secrets, and some that were there then are deleted.",
    ({ actor, created }) => created > 0 && !can(actor, 'create', 'Secrets', 'appPermissions'),
  ),
]

function mebibytes(bytes: number): string {
  return `${bytes / 1024 / 1024} MiB`
}
