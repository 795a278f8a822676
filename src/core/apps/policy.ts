import { actorHasGlobalAccess, can, type RoleHolder } from '../access.ts'
import { forbid, type Policy } from '../policy.ts'

/** Changing an app; `setsEncryptionMode` says whether server-side encryption is to be turned on or off. */
export const update: Policy<{ actor: RoleHolder; setsEncryptionMode: boolean }> = [
  forbid(
    "You don't have permission to update encryption mode.",
    ({ actor, setsEncryptionMode }) =>
      setsEncryptionMode && !can(actor, 'update', 'EncryptionMode', 'appPermissions'),
  ),
]

/** Deleting an app; `hiddenEnvironments` counts those that the actor can't access. */
export const remove: Policy<{ actor: RoleHolder; hiddenEnvironments: number }> = [
  forbid(
    "You can't delete this app: it has environments that you can't open.",
    ({ actor, hiddenEnvironments }) => hiddenEnvironments > 0 && !actorHasGlobalAccess(actor),
  ),
]
