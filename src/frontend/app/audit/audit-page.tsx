import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { PageHead } from '../components/page-head.tsx'
import { Empty } from '../components/pieces.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { EntryList } from './entry-list.tsx'
import { ExportMenu, type ExportProgress, ExportState } from './export-menu.tsx'
import { type AuditSearch, auditQuery } from './search.ts'

const route = getRouteApi('/shell/audit')

/** The audit log: who did what, where and when, with filters in the address. */
export function AuditPage() {
  const search: AuditSearch = route.useSearch()
  const navigate = useNavigate()
  const [exported, setExported] = useState<ExportProgress>(null)
  const { entry: _, ...filters } = search
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const change = (changed: { [Key in keyof AuditSearch]?: AuditSearch[Key] | undefined }) => {
    setExported(null)
    const next = Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== undefined)
    navigate({ to: '/audit', search: Object.fromEntries(next) as AuditSearch, resetScroll: false })
  }
  const unfilter = <Button onClick={() => navigate({ to: '/audit', search: {} })}>Remove all filters</Button>
  return (
    <>
      <PageHead
        title="Audit log"
        text="Everything that was changed, refused, read and signed in to. Entries can’t be edited."
      >
        <ExportMenu query={auditQuery(filters)} onState={setExported} />
      </PageHead>
      <search className="tools">
        <AuditFilters search={search} onChange={change} />
        {isFiltered && <span className="push small dim">The address holds these filters.</span>}
      </search>
      <ExportState state={exported} onClose={() => setExported(null)} />
      <EntryList
        search={filters}
        empty={
          isFiltered ? (
            <Empty title="No entry matches these filters" icon="log" act={unfilter}>
              Remove one of them, or choose other days.
            </Empty>
          ) : undefined
        }
      />
    </>
  )
}
