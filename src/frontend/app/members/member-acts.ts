import { changeRole, remove } from '../../../core/members/policy.ts'
import type { RoleKind } from '../../../core/permissions.ts'
import { refusalBy } from '../../../core/policy.ts'
import { asRoleHolder, can, kindOf, type Viewer } from '../api/me.ts'
import type { MenuEntry } from '../components/menu.tsx'
import type { Member } from './queries.ts'

/** What the viewer may do with a member: not at all, or why not here and now. */
export type MemberActs = Readonly<{
  kind: RoleKind
  isSelf: boolean
  mayChangeRole: boolean
  changeRefusal: string | null
  mayRemove: boolean
  removeRefusal: string | null
  mayTransfer: boolean
  isSelectable: boolean
  selectRefusal: string | null
}>

type Target = Pick<Member, 'id' | 'role'> & { globalAccess?: boolean }
type Roles = readonly { id: string; name: string; isDefault: boolean }[]

/** What the viewer may do with a member, by the rules of the product. */
export function actsOn(viewer: Viewer, member: Target, roles: Roles): MemberActs {
  const actor = asRoleHolder(viewer)
  const role = roles.find(({ id }) => id === member.role.id)
  const kind = role === undefined ? kindByAccess(member) : kindOf(role)
  const facts = { actor, member: { id: member.id, kind } }
  const changeRefusal = refusalBy(changeRole, facts)?.message ?? null
  const removeRefusal = refusalBy(remove, facts)?.message ?? null
  const mayChangeRole = can(viewer, 'update', 'Members') && roles.length > 0
  const mayRemove = can(viewer, 'delete', 'Members')
  return {
    kind,
    isSelf: member.id === viewer.id,
    mayChangeRole,
    changeRefusal,
    mayRemove,
    removeRefusal,
    mayTransfer: actor.role.kind === 'owner' && member.id !== viewer.id,
    isSelectable: (mayChangeRole && changeRefusal === null) || (mayRemove && removeRefusal === null),
    selectRefusal: mayChangeRole ? changeRefusal : mayRemove ? removeRefusal : null,
  }
}

/** The acts on one member as a menu; what the viewer's role doesn't allow at all is left out. */
export const memberMenu = (
  acts: MemberActs,
  { onRemove, onTransfer }: { onRemove: () => void; onTransfer: () => void },
): MenuEntry[] => [
  acts.mayTransfer && { label: 'Transfer ownership…', icon: 'role', onClick: onTransfer },
  acts.mayRemove && {
    label: 'Remove…',
    icon: 'trash',
    danger: true,
    disabledBecause: acts.removeRefusal,
    onClick: onRemove,
  },
]

/** Where roles may not be read, global access tells the kinds apart that rules look at. */
const kindByAccess = ({ role, globalAccess = false }: Target): RoleKind =>
  globalAccess ? (role.name === 'Owner' ? 'owner' : 'admin') : 'custom'
