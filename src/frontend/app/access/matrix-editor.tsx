import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo, useRef } from 'react'
import { readAnew } from '../api/latest.ts'
import { can } from '../api/me.ts'
import { ChangeBar } from '../components/change-bar.tsx'
import { LeaveDialog } from '../components/leave-dialog.tsx'
import { Empty } from '../components/pieces.tsx'
import { useToast } from '../components/toast.tsx'
import { counted } from '../components/words.ts'
import { useViewer } from '../shell/viewer.ts'
import { AccessConflict } from './access-conflict.tsx'
import { AccessMatrix } from './access-matrix.tsx'
import type { CellFacts } from './cell-states.ts'
import { appliedSentence, ChangeWords } from './change-words.tsx'
import { changesByApp, openIn } from './draft.ts'
import { type AccessApp, mergeApps } from './matrix.ts'
import { MatrixTools, NoneShown } from './matrix-tools.tsx'
import { ByRole } from './matrix-views.tsx'
import { type AccessRead, everythingQuery, type PrincipalKind, type WholeAccess } from './queries.ts'
import { type AccessQuery, useAccessDraft } from './use-access-draft.ts'
import { useMatrixView } from './use-matrix-view.ts'

export type AccessEditorProps = {
  kind: PrincipalKind
  id: string
  name: string
  /** Whether the role opens everything, so that nothing can be opened or closed one by one. */
  globalAccess: boolean
  /** Reads the access with its ETag: `accessQuery(kind, id)`. */
  query: AccessQuery
  /** Sets the whole access: `saveAccess(kind, id)`. */
  save: (apps: WholeAccess, etag: string) => Promise<unknown>
  /** Stands at the end of the line above the matrix. */
  tools?: ReactNode
}

type MatrixEditorProps = AccessEditorProps & {
  latest: AccessRead
  everything: readonly AccessApp[]
  /** What the viewer can open; null for everything. */
  own: readonly AccessApp[] | null
}

/** The matrix with its tools, the change that is being made in it, and what stands in its way. */
export function MatrixEditor(props: MatrixEditorProps) {
  const { kind, id, name, globalAccess, query, save, tools, latest, everything, own } = props
  const viewer = useViewer()
  const toast = useToast()
  const queryClient = useQueryClient()
  const firstName = kind === 'member' ? (name.split(' ')[0] ?? name) : name
  const editing = useAccessDraft({
    query,
    latest,
    everything,
    readEverything: () => readAnew(queryClient, everythingQuery(viewer)),
    save,
    onApplied: (draft) => {
      toast(appliedSentence(firstName, changesByApp(apps, draft)), undefined, 'access')
    },
  })
  const { read, open, draft } = editing
  const apps = useMemo(() => mergeApps(everything, read.data.apps), [everything, read])
  const facts: CellFacts = {
    open,
    draft,
    isByRole: globalAccess,
    canChange: can(viewer, 'update', kind === 'member' ? 'Members' : 'ServiceAccounts'),
    givable: useMemo(() => (own === null ? null : openIn(own)), [own]),
  }
  const shown = useMatrixView(apps, facts)
  const latestEditing = useRef(editing)
  latestEditing.current = editing
  // The same one as long as the page stands: each row has it.
  const onToggle = useCallback((id: string) => {
    const { open, draft, change } = latestEditing.current
    change([id], () => !(draft.get(id) ?? open.has(id)))
  }, [])
  if (apps.length === 0) {
    return (
      <Empty title="There are no apps yet">
        Access is given to environments of apps. Create an app first.
      </Empty>
    )
  }
  const changes = changesByApp(apps, draft)
  return (
    <>
      {globalAccess && <ByRole name={firstName} role={read.data.role.name} />}
      <MatrixTools
        shown={shown}
        views={facts.canChange && !globalAccess ? ['all', 'open', 'changed'] : ['all', 'open']}
      >
        {tools}
      </MatrixTools>
      {shown.rows.length === 0 ? (
        <NoneShown shown={shown} />
      ) : (
        <AccessMatrix
          name={name}
          rows={shown.rows}
          apps={shown.all}
          found={shown.found}
          facts={facts}
          onToggle={onToggle}
          onSet={(ids, wanted) => editing.change(ids, () => wanted)}
          onToggleGroup={shown.toggleGroup}
        />
      )}
      {draft.size > 0 && (
        <ChangeBar
          sentence={<ChangeWords name={firstName} {...changes} />}
          consequence={`${counted(draft.size, 'change')}, ${draft.size === 1 ? 'applied when you say so' : 'applied together or not at all'}.${changes.closes.length > 0 ? ` What ${firstName} has read before stays known to whoever read it.` : ''}`}
          busy={editing.isBusy}
          refusal={editing.refusal}
          onApply={editing.apply}
          onDiscard={editing.drop}
        />
      )}
      <AccessConflict
        kind={kind}
        id={id}
        name={firstName}
        everything={everything}
        conflict={editing.conflict}
        onDrop={editing.drop}
        onKeepEditing={editing.keepEditing}
        onApply={editing.apply}
      />
      <LeaveDialog isDirty={draft.size > 0} what={counted(draft.size, 'change')} />
    </>
  )
}
