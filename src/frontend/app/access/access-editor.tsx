import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { actorHasGlobalAccess } from '../../../core/access.ts'
import { messageOf } from '../api/errors.ts'
import { asRoleHolder, can } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { ChangeBar } from '../components/change-bar.tsx'
import { SearchInput } from '../components/field.tsx'
import { Segments } from '../components/page-head.tsx'
import { Banner, Empty, SkeletonTable } from '../components/pieces.tsx'
import { useToast } from '../components/toast.tsx'
import { useViewer } from '../shell/viewer.ts'
import { AccessConflict } from './access-conflict.tsx'
import { AccessMatrix } from './access-matrix.tsx'
import type { CellFacts } from './cell-states.ts'
import { ChangeWords, changesAsText, counted } from './change-words.tsx'
import { changesByApp, openIn } from './draft.ts'
import { LeaveDialog } from './leave-dialog.tsx'
import { type AccessApp, environmentsOf, groupsOf, type MatrixApp, mergeApps, rowsOf } from './matrix.ts'
import { ByRole, matchesView, toggled, type View } from './matrix-views.tsx'
import {
  type AccessRead,
  everythingQuery,
  ownAccessQuery,
  type PrincipalKind,
  type WholeAccess,
} from './queries.ts'
import { type AccessQuery, useAccessDraft } from './use-access-draft.ts'

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

/**
 * The access of a member or service account as a matrix of apps and environments: edited as a whole, said in words, and
 * applied as one change. Somebody else's change in between is shown, and not overwritten.
 */
export function AccessEditor(props: AccessEditorProps) {
  const viewer = useViewer()
  const isGlobal = actorHasGlobalAccess(asRoleHolder(viewer))
  const access = useQuery(props.query)
  const everything = useQuery(everythingQuery(viewer))
  const own = useQuery({ ...ownAccessQuery(viewer), enabled: !isGlobal })
  const error = access.error ?? everything.error ?? own.error
  if (error !== null) return <Banner tone="remove">{messageOf(error)}</Banner>
  if (access.data === undefined || everything.data === undefined || (!isGlobal && own.data === undefined)) {
    return <SkeletonTable columns={5} />
  }
  return (
    <Editor
      {...props}
      latest={access.data}
      everything={everything.data}
      own={isGlobal ? null : (own.data ?? [])}
    />
  )
}

type EditorProps = AccessEditorProps & {
  latest: AccessRead
  everything: readonly AccessApp[]
  /** What the viewer can open; null for everything. */
  own: readonly AccessApp[] | null
}

function Editor({ kind, id, name, globalAccess, query, save, tools, latest, everything, own }: EditorProps) {
  const viewer = useViewer()
  const toast = useToast()
  const queryClient = useQueryClient()
  const firstName = kind === 'member' ? (name.split(' ')[0] ?? name) : name
  const [search, setSearch] = useState('')
  const [view, setView] = useState<View>('all')
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const editing = useAccessDraft({
    query,
    latest,
    everything,
    readEverything: () => queryClient.fetchQuery({ ...everythingQuery(viewer), staleTime: 0 }),
    save,
    onApplied: (draft) => {
      const { opens } = changesByApp(apps, draft)
      toast(opens.length === 0 ? 'Applied.' : `Applied. ${firstName} can open ${changesAsText(opens)}.`)
    },
  })
  const { read, open, draft } = editing
  const apps = useMemo(() => mergeApps(everything, read.data.apps), [everything, read])
  const groups = useMemo(() => groupsOf(apps), [apps])
  const allApps = useMemo(() => groups.flatMap((group) => group.apps), [groups])
  const facts: CellFacts = {
    open,
    draft,
    isByRole: globalAccess,
    canChange: can(viewer, 'update', kind === 'member' ? 'Members' : 'ServiceAccounts'),
    givable: useMemo(() => (own === null ? null : openIn(own)), [own]),
  }
  const isInView = (app: MatrixApp, wanted: View): boolean =>
    wanted === 'all' || environmentsOf(app).some(({ id }) => matchesView(facts, id, wanted))
  const words = search.trim().toLowerCase()
  const isFound = (app: MatrixApp) => isInView(app, view) && app.name.toLowerCase().includes(words)
  const rows = rowsOf(groups, words === '' ? closed : new Set(), isFound)

  const change = useRef(editing.change)
  change.current = editing.change
  const latestFacts = useRef(facts)
  latestFacts.current = facts
  const onToggle = useCallback((id: string) => {
    const { open, draft } = latestFacts.current
    change.current([id], () => !(draft.get(id) ?? open.has(id)))
  }, [])
  const onToggleGroup = useCallback((group: string) => setClosed((closed) => toggled(closed, group)), [])
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
      <div className="tools">
        <SearchInput label="Find an app" value={search} onChange={(event) => setSearch(event.target.value)} />
        <Segments
          label="Show"
          value={view}
          onChange={setView}
          options={[
            { value: 'all', label: 'All', count: allApps.length },
            { value: 'open', label: 'Open', count: allApps.filter((app) => isInView(app, 'open')).length },
            ...(facts.canChange && !globalAccess
              ? [
                  {
                    value: 'changed' as const,
                    label: 'Changed',
                    count: allApps.filter((app) => isInView(app, 'changed')).length,
                  },
                ]
              : []),
          ]}
        />
        {tools !== undefined && <span className="push row">{tools}</span>}
      </div>
      {rows.length === 0 ? (
        <Empty
          title="No app is shown"
          act={
            <Button
              onClick={() => {
                setSearch('')
                setView('all')
              }}
            >
              Show all apps
            </Button>
          }
        >
          {words === ''
            ? `None of the ${counted(apps.length, 'app')} fits.`
            : `${counted(apps.length, 'app')} were searched by name for “${search.trim()}”.`}
        </Empty>
      ) : (
        <AccessMatrix
          name={name}
          rows={rows}
          apps={allApps}
          found={allApps.filter(isFound)}
          facts={facts}
          onToggle={onToggle}
          onSet={(ids, wanted) => editing.change(ids, () => wanted)}
          onToggleGroup={onToggleGroup}
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
