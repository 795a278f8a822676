import { useQuery } from '@tanstack/react-query'
import { can } from '../api/me.ts'
import { SearchInput } from '../components/field.tsx'
import { Filter } from '../components/filters.tsx'
import { useSearchText } from '../components/use-search-text.ts'
import { rolesQuery } from '../roles/role-options.tsx'
import { useViewer } from '../shell/viewer.ts'
import type { MembersSearch, MembersSearchChange } from './search.ts'

type MembersToolsProps = {
  search: MembersSearch
  onChange: (next: MembersSearchChange) => void
  shown: number
  total: number
}

/** The search and the filters of the list, as the address has them, and how many of how many are shown. */
export function MembersTools({ search, onChange, shown, total }: MembersToolsProps) {
  const viewer = useViewer()
  const mayReadRoles = can(viewer, 'read', 'Roles')
  const { data: roles = [] } = useQuery({ ...rolesQuery, enabled: mayReadRoles })
  const [text, type] = useSearchText(search.q ?? '', (q) => onChange({ q: q === '' ? undefined : q }))
  const roleName = useRoleName(search.role)
  return (
    <search className="tools">
      <SearchInput
        label="Name or e-mail"
        value={text}
        maxLength={100}
        onChange={(event) => type(event.target.value)}
      />
      {mayReadRoles && (
        <Filter
          label="Role"
          chosen={roleName}
          options={roles.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(role) => onChange({ role: role ?? undefined })}
        />
      )}
      <Filter
        label="Can open"
        chosen={search.access === 'none' ? 'nothing' : null}
        options={[{ value: 'none', label: 'Nothing' }]}
        onChange={(access) => onChange({ access: access === 'none' ? 'none' : undefined })}
      />
      <span className="push dim small num" role="status">
        {shown} of {total}
      </span>
    </search>
  )
}

/** The name of the role that the address filters by; null where it filters by none. */
export function useRoleName(id: string | undefined): string | null {
  const viewer = useViewer()
  const { data: roles } = useQuery({
    ...rolesQuery,
    enabled: id !== undefined && can(viewer, 'read', 'Roles'),
  })
  if (id === undefined) return null
  return roles?.find((role) => role.id === id)?.name ?? 'of the address'
}
