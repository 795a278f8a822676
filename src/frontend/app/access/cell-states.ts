import type { CellState } from '../components/cell.tsx'
import { type Draft, willBeOpen } from './draft.ts'
import { type AccessEnvironment, environmentsOf, type MatrixApp } from './matrix.ts'

/** What decides how the cells of a matrix look, and which of them can be changed. */
export type CellFacts = Readonly<{
  /** What is open now. */
  open: ReadonlySet<string>
  draft: Draft
  /** Whether everything is open by role. */
  isByRole: boolean
  /** Whether the viewer may change access at all. */
  canChange: boolean
  /** What the viewer can open, and so may give; null for everything. */
  givable: ReadonlySet<string> | null
}>

/** What a cell shows. */
export function stateOf({ open, draft, isByRole, canChange, givable }: CellFacts, id: string): CellState {
  if (isByRole) return 'by-role'
  const wanted = draft.get(id)
  if (open.has(id)) return wanted === false ? 'removed' : 'open'
  if (wanted === true) return 'added'
  return canChange && givable !== null && !givable.has(id) ? 'locked' : 'closed'
}

/** Whether the reader can change a cell: closing is always allowed, opening where the viewer can open it, too. */
export const canToggle = (facts: CellFacts, id: string): boolean =>
  facts.canChange && !facts.isByRole && stateOf(facts, id) !== 'locked'

/** The states of a row's cells as one text: rows whose text is the same need no new drawing. */
export const statesText = (facts: CellFacts, app: MatrixApp): string =>
  environmentsOf(app)
    .map(({ id }) => stateOf(facts, id))
    .join(' ')

/** How many are open now, how many will be, and of how many. */
export type OpenCount = Readonly<{ before: number; after: number; of: number }>

/** Counts environments; those that an app lacks don't count. */
export function countOf(facts: CellFacts, environments: readonly (AccessEnvironment | null)[]): OpenCount {
  const existing = environments.filter((environment) => environment !== null)
  if (facts.isByRole) return { before: existing.length, after: existing.length, of: existing.length }
  return {
    before: existing.filter(({ id }) => facts.open.has(id)).length,
    after: existing.filter(({ id }) => willBeOpen(facts.open, facts.draft, id)).length,
    of: existing.length,
  }
}
