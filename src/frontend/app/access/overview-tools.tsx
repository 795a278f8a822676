import { SearchInput } from '../components/field.tsx'
import { Filter } from '../components/filters.tsx'
import { Segments } from '../components/page-head.tsx'
import { SearchFilter } from '../components/search-filter.tsx'
import { useSearchText } from '../components/use-search-text.ts'
import { counted } from '../components/words.ts'
import { RoleFilter } from '../roles/role-filter.tsx'
import type { AccessApp } from './matrix.ts'
import type { AccessSearch, AccessSearchChange } from './search.ts'

type OverviewToolsProps = {
  search: AccessSearch
  apps: readonly AccessApp[]
  shown: number
  total: number
  onChange: (next: AccessSearchChange) => void
}

const TYPES = [
  { value: 'dev', label: 'Development' },
  { value: 'staging', label: 'Staging' },
  { value: 'prod', label: 'Production' },
  { value: 'custom', label: 'Others' },
] as const

const VIAS = [
  { value: 'grant', label: 'by grant' },
  { value: 'role', label: 'by role' },
] as const

/** The search and the filters of the overview, as the address has them. */
export function OverviewTools({ search, apps, shown, total, onChange }: OverviewToolsProps) {
  const [text, type] = useSearchText(search.q ?? '', (q) => onChange({ q }))
  const labelOf = (options: readonly { value: string; label: string }[], value: string | undefined) =>
    options.find((option) => option.value === value)?.label ?? null
  return (
    <search className="tools">
      <SearchInput label="Person or machine" value={text} onChange={(event) => type(event.target.value)} />
      <Segments
        label="Show"
        value={search.who ?? 'all'}
        onChange={(who) => onChange({ who: who === 'all' ? undefined : who })}
        options={[
          { value: 'all', label: 'All' },
          { value: 'people', label: 'People' },
          { value: 'machines', label: 'Machines' },
        ]}
      />
      <SearchFilter
        label="App"
        chosen={
          search.app === undefined
            ? null
            : (apps.find(({ id }) => id === search.app)?.name ?? 'of the address')
        }
        options={apps.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(app) => onChange({ app: app ?? undefined })}
      />
      <RoleFilter roleId={search.role} onChange={(role) => onChange({ role })} />
      <Filter
        label="Environments"
        chosen={labelOf(TYPES, search.type)}
        options={TYPES}
        onChange={(value) => onChange({ type: TYPES.find((type) => type.value === value)?.value })}
      />
      <Filter
        label="Only"
        chosen={labelOf(VIAS, search.via)}
        options={VIAS}
        onChange={(value) => onChange({ via: VIAS.find((via) => via.value === value)?.value })}
      />
      <span className="push dim small num" role="status">
        {shown} of {counted(total, 'app')}
      </span>
    </search>
  )
}
