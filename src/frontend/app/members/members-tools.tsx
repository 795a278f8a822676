import { Filter } from '../components/filters.tsx'
import { type Listed, ListTools } from '../components/paged-rows.tsx'
import { RoleFilter } from '../roles/role-filter.tsx'
import type { MembersSearch, MembersSearchChange } from './search.ts'

type MembersToolsProps = {
  search: MembersSearch
  onChange: (next: MembersSearchChange) => void
  list: Listed
}

/** The search and the filters of the list, as the address has them. */
export const MembersTools = ({ search, onChange, list }: MembersToolsProps) => (
  <ListTools list={list} label="Name or e-mail" q={search.q} onSearch={(q) => onChange({ q })}>
    <RoleFilter roleId={search.role} onChange={(role) => onChange({ role })} />
    <Filter
      label="Can open"
      chosen={search.access === 'none' ? 'nothing' : null}
      options={[{ value: 'none', label: 'Nothing' }]}
      onChange={(access) => onChange({ access: access === 'none' ? 'none' : undefined })}
    />
  </ListTools>
)
