import { actorHasGlobalAccess, type RoleHolder } from '../access.ts'
import { forbid, type Policy } from '../policy.ts'

/** Deleting an app; `hiddenEnvironments` counts those that the actor can't access. */
export const remove: Policy<{ actor: RoleHolder; hiddenEnvironments: number }> = [
  forbid(
    "You can't delete this app: it has environments that you can't open.",
    ({ actor, hiddenEnvironments }) => hiddenEnvironments > 0 && !actorHasGlobalAccess(actor),
  ),
]
