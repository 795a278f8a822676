import { useCallback, useMemo, useState } from 'react'
import { toggled } from '../components/toggled.ts'
import type { CellFacts } from './cell-states.ts'
import { type AccessApp, environmentsOf, groupsOf, type MatrixApp, rowsOf } from './matrix.ts'
import { matchesView, type View } from './matrix-views.tsx'

export type MatrixView = ReturnType<typeof useMatrixView>

/** Which apps of the matrix are shown: those that a search and a view let pass, without what is in collapsed groups. */
export function useMatrixView(apps: readonly AccessApp[], facts: CellFacts) {
  const [search, setSearch] = useState('')
  const [view, setView] = useState<View>('all')
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const groups = useMemo(() => groupsOf(apps), [apps])
  const all = useMemo(() => groups.flatMap((group) => group.apps), [groups])
  const isIn = (app: MatrixApp, wanted: View): boolean =>
    wanted === 'all' || environmentsOf(app).some(({ id }) => matchesView(facts, id, wanted))
  const words = search.trim().toLowerCase()
  const isFound = (app: MatrixApp) => isIn(app, view) && app.name.toLowerCase().includes(words)
  return {
    search,
    setSearch,
    view,
    setView,
    all,
    found: all.filter(isFound),
    rows: rowsOf(groups, words === '' ? closed : new Set(), isFound),
    countIn: (wanted: View) => all.filter((app) => isIn(app, wanted)).length,
    toggleGroup: useCallback((group: string) => setClosed((closed) => toggled(closed, group)), []),
    showAll: () => {
      setSearch('')
      setView('all')
    },
  }
}
