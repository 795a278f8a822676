import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { Entry } from '../../../core/audit/entry.ts'
import { messageOf } from '../api/errors.ts'
import { Button } from '../components/button.tsx'
import { Banner, Empty, SkeletonTable } from '../components/pieces.tsx'
import { type Day, daysOf } from './days.ts'
import { EntryRow } from './entry-row.tsx'
import type { NameOf } from './facts.ts'
import { useNames } from './names.ts'
import { entriesQuery, entryQuery } from './queries.ts'
import { type AuditSearch, auditQuery, entryAddress, entryIn } from './search.ts'

type EntryListProps = {
  /** What to show: `{ actor }`, `{ app }`, `{ environment }`, `{ thing }`, or any of the audit log's filters. */
  search: Omit<AuditSearch, 'entry'>
  /** Stands where there are no entries. */
  empty?: ReactNode
}

/** Entries of the audit log, newest first, by day. The open one stands in the address, as `?entry=`. */
export function EntryList({ search, empty }: EntryListProps) {
  const query = auditQuery(search)
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    entriesQuery(query),
  )
  const listed = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  const [openId, setOpen] = useOpenEntry()
  const entries = useWithOpen(listed, isPending)
  const nameOf = useNames(entries)
  if (isPending) return <SkeletonTable columns={3} />
  if (entries.length === 0 && error === null) return empty ?? <NoEntries />
  return (
    <>
      {daysOf(entries).map((day) => (
        <DayOfEntries
          key={day.key}
          day={day}
          nameOf={nameOf}
          openId={openId}
          onToggle={(entry) => setOpen(entry.id === openId ? null : entry)}
        />
      ))}
      {error !== null && <Banner tone="remove">{messageOf(error)}</Banner>}
      {hasNextPage && (
        <div className="more">
          <Button busy={isFetchingNextPage} onClick={() => fetchNextPage()}>
            Load older entries
          </Button>
          <span className="small">{entries.length} shown, newest first</span>
        </div>
      )}
    </>
  )
}

function DayOfEntries({
  day,
  nameOf,
  openId,
  onToggle,
}: {
  day: Day
  nameOf: NameOf
  openId: string | null
  onToggle: (entry: Entry) => void
}) {
  return (
    <section aria-labelledby={`day-${day.key}`}>
      <h2 className="day" id={`day-${day.key}`}>
        {day.title} <span>{day.date}</span>
      </h2>
      <ol>
        {day.entries.map((entry) => (
          <EntryRow
            key={entry.id}
            entry={entry}
            nameOf={nameOf}
            open={entry.id === openId}
            onToggle={() => onToggle(entry)}
          />
        ))}
      </ol>
    </section>
  )
}

const NoEntries = () => (
  <Empty title="There are no entries" icon="log">
    What is changed, refused, read and signed in to is recorded here.
  </Empty>
)

/** The id of the entry that the address opens, and what opens another. */
function useOpenEntry(): [string | null, (entry: Entry | null) => void] {
  const { entry: address } = useSearch({ strict: false }) as { entry?: string }
  const navigate = useNavigate()
  const open = (entry: Entry | null) =>
    navigate({
      to: '.',
      search: ((before: Record<string, unknown>) => ({
        ...before,
        entry: entry === null ? undefined : entryAddress(entry),
      })) as never,
      replace: true,
      resetScroll: false,
    })
  return [entryIn(address)?.id ?? null, open]
}

/** The entries with the one that the address opens, in its place, where it is none of them. */
function useWithOpen(entries: readonly Entry[], isLoading: boolean): readonly Entry[] {
  const { entry: address } = useSearch({ strict: false }) as { entry?: string }
  const named = entryIn(address)
  const isListed = entries.some(({ id }) => id === named?.id)
  const { data: other } = useQuery({
    ...entryQuery(named?.id ?? '', named?.timestamp ?? ''),
    enabled: !isLoading && !isListed && named?.timestamp != null,
  })
  return useMemo(() => {
    if (isListed || other == null) return entries
    return [...entries, other].sort((a, b) => b.timestamp.localeCompare(a.timestamp))
  }, [entries, isListed, other])
}
