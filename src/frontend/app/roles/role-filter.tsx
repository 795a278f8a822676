import { useQuery } from '@tanstack/react-query'
import { can } from '../api/me.ts'
import { Filter } from '../components/filters.tsx'
import { useViewer } from '../shell/viewer.ts'
import { rolesQuery } from './role-options.tsx'

type RoleFilterProps = {
  /** The id of the role in the address. */
  roleId: string | undefined
  onChange: (roleId: string | undefined) => void
}

/** Filters a list by a role; absent where the viewer may not read roles. */
export function RoleFilter({ roleId, onChange }: RoleFilterProps) {
  const mayRead = can(useViewer(), 'read', 'Roles')
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: mayRead })
  const name = useRoleName(roleId)
  if (!mayRead && name === null) return null
  return (
    <Filter
      label="Role"
      chosen={name}
      options={roles.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => onChange(id ?? undefined)}
    />
  )
}

/** The name of the role that the address filters by; null where it filters by none. */
export function useRoleName(id: string | undefined): string | null {
  const mayRead = can(useViewer(), 'read', 'Roles')
  const { data: roles } = useQuery({ ...rolesQuery, enabled: id !== undefined && mayRead })
  if (id === undefined) return null
  return roles?.find((role) => role.id === id)?.name ?? 'of the address'
}
