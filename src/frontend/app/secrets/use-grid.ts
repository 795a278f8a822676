import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useReducer, useState } from 'react'
import { canInApps } from '../api/me.ts'
import { toggled } from '../components/toggled.ts'
import { useViewer } from '../shell/viewer.ts'
import { applyDrafts, type Refusal } from './applying.ts'
import { type Draft, type Drafts, NO_DRAFTS, reduceDrafts } from './drafts.ts'
import type { Grid } from './grid.ts'
import { type SecretsApp, secretsKey, secretsQuery } from './queries.ts'
import type { Secret } from './secret.ts'
import { byPathAndKey, type NamedEnvironment, rowsOf, type SecretRow } from './secret-rows.ts'
import type { Store } from './store.ts'

/** The secrets of all environments that the reader can open, by environment, as far as they have been read. */
export function useSecrets(
  appId: string,
  environments: readonly NamedEnvironment[],
  store: Store | undefined,
) {
  const mayCount = canInApps(useViewer(), 'read', 'Environments')
  return useQueries({
    queries:
      store === undefined
        ? []
        : environments.map((environment) => secretsQuery(appId, environment, store, mayCount)),
    combine: (results) => ({
      secrets: new Map(
        environments.flatMap(({ id }, place) => {
          const data = results[place]?.data
          return data === undefined ? [] : [[id, data] as const]
        }),
      ) as ReadonlyMap<string, readonly Secret[]>,
      isLoading: results.some(({ isLoading }) => isLoading),
      problems: environments.flatMap((environment, place) => {
        const error = results[place]?.error ?? null
        return error === null ? [] : [{ environment, error }]
      }),
    }),
  })
}

/** What the cells share, and which rows there are: those that are stored, and those that are to be added. */
export function useGridState(
  app: SecretsApp,
  secrets: ReadonlyMap<string, readonly Secret[]>,
  openDetails: (row: SecretRow) => void,
) {
  const viewer = useViewer()
  const [drafts, dispatch] = useReducer(reduceDrafts, NO_DRAFTS)
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set())
  const [isAllShown, setAllShown] = useState(false)
  const [editing, edit] = useState<string | null>(null)
  const rows = useMemo(() => withNew(rowsOf(secrets), drafts), [secrets, drafts])
  const byName = useMemo(() => new Map(rows.map((row) => [row.name, row])), [rows])
  const grid: Grid = {
    appId: app.id,
    isServerSide: app.sseEnabled,
    environments: app.environments,
    rows: byName,
    drafts,
    dispatch,
    may: {
      create: canInApps(viewer, 'create', 'Secrets'),
      update: canInApps(viewer, 'update', 'Secrets'),
      delete: canInApps(viewer, 'delete', 'Secrets'),
    },
    // While all are shown, a cell can be hidden by itself.
    isShown: (cell) => shown.has(cell) !== isAllShown,
    toggle: (cell) => setShown(toggled(shown, cell)),
    editing,
    edit,
    openDetails,
  }
  const toggleAll = () => {
    setShown(new Set())
    setAllShown(!isAllShown)
  }
  return { grid, rows, drafts, isAllShown, toggleAll }
}

function withNew(rows: SecretRow[], drafts: Drafts): SecretRow[] {
  const names = new Set(rows.map(({ name }) => name))
  const added = [...drafts.values()].filter(
    ({ base, row }) => base === null && !names.has(row) && names.add(row),
  )
  if (added.length === 0) return rows
  const blank = (row: string) => row.indexOf(' ')
  const news = added.map(({ row }) => ({
    name: row,
    path: row.slice(0, blank(row)),
    key: row.slice(blank(row) + 1),
    cells: new Map(),
  }))
  return [...rows, ...news].sort(byPathAndKey)
}

/** Applies what was collected, and keeps what was refused with the sentence that says why. */
export function useApplying(app: SecretsApp, store: Store, grid: Grid) {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [refusals, setRefusals] = useState<readonly Refusal[]>([])
  const [applied, setApplied] = useState<readonly Draft[]>([])
  const apply = useCallback(async () => {
    setBusy(true)
    setRefusals([])
    const { applied, refusals, stored } = await applyDrafts(store, grid.drafts, app.environments)
    setApplied(applied)
    for (const [environmentId, secrets] of stored)
      queryClient.setQueryData(secretsKey(app.id, environmentId), secrets)
    await Promise.all([
      queryClient.invalidateQueries({ queryKey: secretsKey(app.id) }),
      queryClient.invalidateQueries({ queryKey: ['secrets'] }),
    ])
    // Not before: the page would show what was stored before, and take it for what a next change is made upon.
    const read = app.environments.map(
      ({ id }) => [id, queryClient.getQueryData<Secret[]>(secretsKey(app.id, id)) ?? []] as const,
    )
    grid.dispatch({ act: 'forget', drafts: applied, secrets: new Map(read) })
    if (stored.size > 0) grid.dispatch({ act: 'rebase', secrets: stored })
    setRefusals(refusals)
    setBusy(false)
    return { applied, refusals }
  }, [store, grid.drafts, grid.dispatch, app, queryClient])
  const forget = () => setRefusals([])
  return { apply, busy, refusals, applied, forget }
}
