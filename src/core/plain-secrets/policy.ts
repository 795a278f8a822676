import { can, type RoleHolder } from '../access.ts'
import { forbid, type Policy } from '../policy.ts'

type Actor = Pick<RoleHolder, 'role'>

/** Importing a file: it tells what is there already, and may change some of it. */
export const importFile: Policy<{ actor: Actor; changed: number }> = [
  forbid(
    "You don't have permission to read secrets, with which an import compares its own.",
    ({ actor }) => !can(actor, 'read', 'Secrets', 'appPermissions'),
  ),
  forbid(
    "You don't have permission to update secrets, and the file would change some.",
    ({ actor, changed }) => changed > 0 && !can(actor, 'update', 'Secrets', 'appPermissions'),
  ),
]
