import { useQueryClient } from '@tanstack/react-query'
import type { RoleKind } from '../../../core/permissions.ts'
import { refusalBy } from '../../../core/policy.ts'
import { assignRole } from '../../../core/service-accounts/policy.ts'
import { asRoleHolder, type Viewer } from '../api/me.ts'
import type { Option } from '../components/select.tsx'
import { roleOptions, useRoles } from '../roles/role-options.tsx'
import { RoleSelect } from '../roles/role-select.tsx'
import { useViewer } from '../shell/viewer.ts'
import { type AccountRef, giveRole } from './queries.ts'

/** The roles that a service account can be given, each with what it means, or why the viewer can't give it. */
export function useAccountRoles(): Option<string>[] {
  const viewer = useViewer()
  const { data: roles = [] } = useRoles()
  return roleOptions(roles, (kind) => refusalOf(viewer, kind))
}

/** A list tells nothing of what custom roles allow: the API refuses those beyond the viewer's own. */
function refusalOf(viewer: Viewer, kind: RoleKind): string | null {
  const permissions = kind === 'custom' ? { permissions: {}, appPermissions: {} } : null
  return refusalBy(assignRole, { actor: asRoleHolder(viewer), role: { kind, permissions } })?.message ?? null
}

/** A service account's role, changed in place. */
export function AccountRole({ account }: { account: AccountRef }) {
  const queryClient = useQueryClient()
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
  return (
    <RoleSelect
      holder={account}
      name={account.name}
      options={useAccountRoles()}
      change={giveRole}
      onChanged={refresh}
      onKept={refresh}
    />
  )
}
