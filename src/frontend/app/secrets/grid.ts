import { createContext, type Dispatch, useContext } from 'react'
import type { DraftAct, Drafts } from './drafts.ts'
import type { NamedEnvironment, SecretRow } from './secret-rows.ts'

/** What the cells of the grid share. A cell is told by its environment and its row, as a draft is. */
export type Grid = Readonly<{
  appId: string
  /** Whether the server may open secrets; where it may not, this browser does. */
  isServerSide: boolean
  environments: readonly NamedEnvironment[]
  /** All rows of the app, by name. */
  rows: ReadonlyMap<string, SecretRow>
  drafts: Drafts
  dispatch: Dispatch<DraftAct>
  /** What the reader's role allows with secrets. */
  may: Readonly<{ create: boolean; update: boolean; delete: boolean }>
  isShown(cell: string): boolean
  toggle(cell: string): void
  editing: string | null
  edit(cell: string | null): void
  openDetails(row: SecretRow): void
}>

export const GridContext = createContext<Grid | null>(null)

/** What the grid shares with its cells. */
export function useGrid(): Grid {
  const grid = useContext(GridContext)
  if (grid === null) throw new Error('useGrid is for the cells of the grid')
  return grid
}
