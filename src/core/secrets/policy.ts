import { can, type RoleHolder } from '../access.ts'
import { forbid, type Policy } from '../policy.ts'
import { MAX_SECRETS, type SecretType } from './secret.ts'

/** Adding secrets to an environment that has `present` of them. */
export const add: Policy<{ present: number; added: number }> = [
  forbid(
    `An environment can have at most ${MAX_SECRETS.toLocaleString('en')} secrets.`,
    ({ present, added }) => present + added > MAX_SECRETS,
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
