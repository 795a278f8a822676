import { useQueries } from '@tanstack/react-query'
import { can } from '../api/me.ts'
import { ChangeBar } from '../components/change-bar.tsx'
import { LeaveDialog } from '../components/leave-dialog.tsx'
import { useToast } from '../components/toast.tsx'
import { counted } from '../components/words.ts'
import { useViewer } from '../shell/viewer.ts'
import { ChangeSentence, consequenceOf } from './change-words.tsx'
import { partsLeft } from './drafts.ts'
import type { Grid } from './grid.ts'
import { readersQuery, type SecretsApp } from './queries.ts'
import type { Store } from './store.ts'
import { useApplying } from './use-grid.ts'

/** Says what was collected and who will read it, and applies or discards it. */
export function PendingChanges({ app, store, grid }: { app: SecretsApp; store: Store; grid: Grid }) {
  const { apply, busy, refusals, applied, forget } = useApplying(app, store, grid)
  const viewer = useViewer()
  const toast = useToast()
  const { drafts, dispatch } = grid
  const environments = app.environments.filter(({ id }) =>
    [...drafts.values()].some(({ environmentId }) => environmentId === id),
  )
  const readers = useQueries({
    queries: environments.map(({ id }) => readersQuery(id, can(viewer, 'read', 'Members'))),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  })
  const applyAll = async () => {
    const { applied, refusals } = await apply()
    if (refusals.length === 0)
      toast(`${counted(applied.length, 'change was', 'changes were')} applied.`, undefined, 'secrets')
  }
  const isDirty = [...drafts.values()].some((draft) => partsLeft(draft, applied).length > 0)
  return (
    <>
      <ChangeBar
        sentence={<ChangeSentence drafts={drafts} environments={app.environments} />}
        consequence={consequenceOf(drafts, readers)}
        busy={busy}
        refusal={refusals.length === 0 ? null : refusalText(refusals, applied.length)}
        onApply={applyAll}
        onDiscard={() => {
          forget()
          dispatch({ act: 'discard' })
        }}
      />
      <LeaveDialog isDirty={isDirty} what={counted(drafts.size, 'change')} />
    </>
  )
}

function refusalText(refusals: ReturnType<typeof useApplying>['refusals'], appliedCount: number): string {
  const sentences = refusals.map(({ environment, sentence }) => `${environment.name}: ${sentence}`)
  const rest =
    appliedCount === 0
      ? 'Nothing was applied, and what you typed is kept.'
      : `${counted(appliedCount, 'other change was', 'other changes were')} applied; the rest is kept below.`
  return [...sentences, rest].join(' ')
}
