import { Banner } from '../components/pieces.tsx'
import { type CellFacts, stateOf } from './cell-states.ts'

/** Which apps the matrix shows. */
export type View = 'all' | 'open' | 'changed'

/** Says why nothing can be closed one by one. */
export function ByRole({ name, role }: { name: string; role: string }) {
  return (
    <div className="mb-4">
      <Banner icon="role">
        The {role} role opens every app and environment, so nothing can be closed here one by one. With
        another role, only what was granted to {name} would stay open.
      </Banner>
    </div>
  )
}

/** Whether a cell belongs to a view: what is open, or what changes. */
export function matchesView(facts: CellFacts, id: string, view: View): boolean {
  const state = stateOf(facts, id)
  if (view === 'changed') return state === 'added' || state === 'removed'
  return state === 'open' || state === 'added' || state === 'by-role'
}
