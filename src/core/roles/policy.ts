import { actorHasGlobalAccess, beyondOwn, type RoleHolder } from '../access.ts'
import type { Permissions, RoleKind } from '../permissions.ts'
import { forbid, type Policy, refuse } from '../policy.ts'

type RoleFacts = Readonly<{ id: string; kind: RoleKind }>

/** Creating a role with these permissions. */
export const create: Policy<{ actor: RoleHolder; permissions: Permissions }> = [
  refuse(403, ({ actor, permissions }) => beyondOwn(actor, permissions)),
]

/** Changing anything of a role. */
export const update: Policy<{ actor: RoleHolder; role: RoleFacts }> = [
  forbid('Default roles cannot be modified.', ({ role }) => role.kind !== 'custom'),
  forbid(
    'You cannot change the role that you hold yourself.',
    ({ actor, role }) => !actorHasGlobalAccess(actor) && actor.role.id === role.id,
  ),
]

/** Giving a role other permissions than it has. */
export const changePermissions: Policy<{ actor: RoleHolder; before: Permissions; after: Permissions }> = [
  refuse(403, ({ actor, before, after }) => beyondOwn(actor, addedPermissions(before, after))),
]

/** Deleting a role, in use or not. */
export const remove: Policy<{ role: RoleFacts }> = [
  forbid('Default roles cannot be deleted.', ({ role }) => role.kind !== 'custom'),
]

/** How many members, service accounts and pending invites have a role. */
export type Holders = Readonly<{ members: number; serviceAccounts: number; invites: number }>

/** Deleting a role that may be in use. */
export const removeHeld: Policy<Holders> = [
  refuse(409, (holders) => {
    const held = describeHolders(holders)
    return held.length === 0
      ? null
      : `The role is in use by ${held.join(' and ')}. Reassign or cancel them first.`
  }),
]

/** What the new permissions allow beyond the old ones. */
export function addedPermissions(before: Permissions, after: Permissions): Permissions {
  const added = (level: keyof Permissions) =>
    Object.fromEntries(
      Object.entries(after[level]).map(([name, actions]) => [
        name,
        actions.filter(
          (action) => !(Object.hasOwn(before[level], name) && before[level][name]?.includes(action)),
        ),
      ]),
    )
  return { permissions: added('permissions'), appPermissions: added('appPermissions') }
}

function describeHolders({ members, serviceAccounts, invites }: Holders): string[] {
  const count = (n: number, noun: string) => (n === 0 ? [] : [`${n} ${noun}${n === 1 ? '' : 's'}`])
  return [
    ...count(members, 'member'),
    ...count(serviceAccounts, 'service account'),
    ...count(invites, 'pending invite'),
  ]
}
