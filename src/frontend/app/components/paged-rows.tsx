import type { ReactNode } from 'react'
import { messageOf } from '../api/errors.ts'
import type { PagedList } from '../api/paging.ts'
import { SearchInput } from './field.tsx'
import { Banner, LoadMore, SkeletonTable } from './pieces.tsx'
import { useSearchText } from './use-search-text.ts'

type PagedRowsProps<T> = {
  list: PagedList<T>
  /** How many columns the skeleton has. */
  columns: number
  /** Stands where the list is empty. */
  empty: ReactNode
  /** The table of what has been loaded. */
  children: (rows: T[]) => ReactNode
}

/** A list that is loaded page by page: its rows and more of them, or what stands in their place. */
export function PagedRows<T>({ list, columns, empty, children }: PagedRowsProps<T>) {
  return (
    <>
      {list.error !== null && <Banner tone="remove">{messageOf(list.error)}</Banner>}
      {list.isPending ? (
        <SkeletonTable columns={columns} />
      ) : list.rows.length > 0 ? (
        children(list.rows)
      ) : (
        list.error === null && empty
      )}
      {list.hasMore && (
        <LoadMore left={list.left} size={list.size} busy={list.isLoadingMore} onClick={list.loadMore} />
      )}
    </>
  )
}

/** How much of a list has been loaded; the total is null while it isn't known. */
export type Listed = Readonly<{ rows: readonly unknown[]; total: number | null }>

type ListToolsProps = {
  list: Listed
  /** What the search looks for: "Name of a role". */
  label: string
  /** The search in the address. */
  q: string | undefined
  onSearch: (q: string | undefined) => void
  /** The filters. */
  children?: ReactNode
}

/** Searches a list, filters it, and says how much of it is shown. */
export function ListTools({ list, label, q = '', onSearch, children }: ListToolsProps) {
  const [text, type] = useSearchText(q, (text) => onSearch(text === '' ? undefined : text))
  return (
    <search className="tools">
      <SearchInput
        label={label}
        value={text}
        maxLength={100}
        onChange={(event) => type(event.target.value)}
      />
      {children}
      <span className="push dim small num" role="status">
        {list.total !== null && `${list.rows.length} of ${list.total}`}
      </span>
    </search>
  )
}
