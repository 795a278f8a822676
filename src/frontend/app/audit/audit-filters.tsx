import { useQuery } from '@tanstack/react-query'
import { can } from '../api/me.ts'
import { Filter } from '../components/filters.tsx'
import { SearchFilter } from '../components/search-filter.tsx'
import { useViewer } from '../shell/viewer.ts'
import { ActorFilter } from './actor-filter.tsx'
import { DateFilter } from './date-filter.tsx'
import { EVENT_OPTIONS } from './event-options.ts'
import { appNamesQuery } from './names.ts'
import type { AuditSearch } from './search.ts'
import { eventLabel } from './sentences.ts'

type AuditFiltersProps = {
  search: AuditSearch
  onChange: (change: { [Key in keyof AuditSearch]?: AuditSearch[Key] | undefined }) => void
}

const OUTCOMES = [
  { value: 'refused', label: 'Refused' },
  { value: 'done', label: 'Done' },
] as const

/** The filters of the audit log, as they stand in the address. */
export function AuditFilters({ search, onChange }: AuditFiltersProps) {
  return (
    <>
      <DateFilter from={search.from} to={search.to} onChange={({ from, to }) => onChange({ from, to })} />
      <ActorFilter actor={search.actor} onChange={(actor) => onChange({ actor: actor ?? undefined })} />
      <SearchFilter
        label="What"
        chosen={search.event === undefined ? null : eventLabel(search.event)}
        options={EVENT_OPTIONS}
        onChange={(event) => onChange({ event: event ?? undefined })}
      />
      <PlaceFilters search={search} onChange={onChange} />
      <Filter
        label="Outcome"
        chosen={OUTCOMES.find(({ value }) => value === search.outcome)?.label ?? null}
        options={OUTCOMES}
        onChange={(outcome) => onChange({ outcome: (outcome as AuditSearch['outcome']) ?? undefined })}
      />
      {search.thing !== undefined && (
        <Filter
          label="About"
          chosen={search.thing}
          options={[]}
          onChange={() => onChange({ thing: undefined })}
        />
      )}
    </>
  )
}

/** By app, and by an environment of the chosen app. */
function PlaceFilters({ search, onChange }: AuditFiltersProps) {
  const viewer = useViewer()
  const { data: names } = useQuery({ ...appNamesQuery, enabled: can(viewer, 'read', 'Apps') })
  const apps = names?.list ?? []
  const environment = names?.environments.get(search.environment ?? '')
  const inApp = apps.find(({ id }) => id === search.app)
  const nameOf = (id: string) => names?.apps.get(id)?.name ?? id
  return (
    <>
      {(apps.length > 0 || search.app !== undefined) && (
        <SearchFilter
          label="App"
          chosen={search.app === undefined ? null : nameOf(search.app)}
          options={apps.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(app) => onChange({ app: app ?? undefined, environment: undefined })}
        />
      )}
      {(inApp !== undefined || search.environment !== undefined) && (
        <SearchFilter
          label="Environment"
          chosen={
            search.environment === undefined
              ? null
              : environment === undefined
                ? search.environment
                : `${environment.name} of ${environment.app}`
          }
          options={inApp?.environments.map(({ id, name }) => ({ value: id, label: name })) ?? []}
          onChange={(id) => onChange({ environment: id ?? undefined })}
        />
      )}
    </>
  )
}
