import { queryOptions, useQuery } from '@tanstack/react-query'
import type { RoleKind } from '../../../core/permissions.ts'
import { answer, api } from '../api/client.ts'
import { can, kindOf } from '../api/me.ts'
import { RoleName } from '../components/pieces.tsx'
import type { Option } from '../components/select.tsx'
import { useViewer } from '../shell/viewer.ts'

/** All roles of the organisation, the default ones first. */
export const rolesQuery = queryOptions({
  queryKey: ['roles', 'all'],
  queryFn: async () => (await answer(api.v1.roles.get({ query: {} }))).data,
  staleTime: 30_000,
})

/** All roles; none where the viewer may not read them: the API would refuse that, and the audit log tell of it. */
export function useRoles() {
  const mayRead = can(useViewer(), 'read', 'Roles')
  return useQuery({ ...rolesQuery, enabled: mayRead })
}

const MEANINGS: Record<Exclude<RoleKind, 'custom'>, string> = {
  owner: 'Opens everything. Moves only by a transfer.',
  admin: 'Opens everything.',
  manager: 'Runs members, roles and apps.',
  developer: 'Reads and changes secrets where access was given.',
  service: 'Made for machines. People may hold it.',
}

/** One line that says what a role means. */
export function meaningOf(role: { name: string; isDefault: boolean; description: string | null }): string {
  const kind = kindOf(role)
  if (kind !== 'custom') return MEANINGS[kind]
  return role.description === null || role.description === '' ? 'Custom.' : `Custom. ${role.description}`
}

type Role = { id: string; name: string; isDefault: boolean; description: string | null; color: string }

/** Roles as options, without the Owner's, which moves only by a transfer. `refusalOf` says why one can't be chosen. */
export const roleOptions = (
  roles: readonly Role[],
  refusalOf: (kind: RoleKind) => string | null,
): Option<string>[] =>
  roles
    .filter((role) => kindOf(role) !== 'owner')
    .map((role) => ({
      value: role.id,
      label: <RoleName name={role.name} color={role.color} />,
      meaning: meaningOf(role),
      disabledBecause: refusalOf(kindOf(role)),
    }))
