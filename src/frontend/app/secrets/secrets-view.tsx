import { useLocation, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { Icon } from '../components/icon.tsx'
import { Banner, SkeletonTable } from '../components/pieces.tsx'
import { GridContext } from './grid.ts'
import { GridLegend, NoSecrets } from './grid-legend.tsx'
import { GridPanel } from './grid-panel.tsx'
import { GridTools } from './grid-tools.tsx'
import { HeadActs } from './head-acts.tsx'
import type { Panel } from './panel-props.ts'
import { PathTree } from './path-tree.tsx'
import { PendingChanges } from './pending-changes.tsx'
import type { SecretsApp } from './queries.ts'
import { isDifferent, isMissing, type Selection, selectRows } from './secret-rows.ts'
import { SecretsTable } from './secrets-table.tsx'
import type { Store } from './store.ts'
import { useGridState, useSecrets } from './use-grid.ts'

/** The grid with its folders, its tools, what is being entered beside it, and what is not applied yet. */
export function SecretsView({ app, store }: { app: SecretsApp; store: Store }) {
  const selection = useSearch({ from: '/shell/apps/$appId/secrets' })
  const navigate = useNavigate({ from: '/apps/$appId/secrets' })
  const [panel, setPanel] = useState<Panel | null>(null)
  const { secrets, isLoading, problems } = useSecrets(app.id, app.environments, store)
  const { grid, rows, drafts, isAllShown, toggleAll } = useGridState(app, secrets, (row) =>
    setPanel({ panel: 'details', row }),
  )
  usePanelOfAddress((panel) => {
    if (panel === 'export' || grid.may.create) setPanel({ panel })
  })
  const select = (next: Selection) => navigate({ search: next, replace: true })
  const selected = selectRows(rows, selection)
  const missing = selected.filter((row) => isMissing(row, app.environments))
  const different = selected.filter(isDifferent)
  const shown = selection.show === 'missing' ? missing : selection.show === 'different' ? different : selected
  const counts = { all: selected.length, missing: missing.length, different: different.length }
  return (
    <GridContext value={grid}>
      <HeadActs may={grid.may} onOpen={setPanel} />
      <div className="secrets-grid">
        <PathTree appId={app.id} rows={rows} selection={selection} />
        <div className="min-w-0">
          {!app.sseEnabled && <OpenedHere />}
          {problems.map(({ environment, error }) => (
            <div key={environment.id} className="mb-3">
              <Banner tone="remove">
                {environment.name} can’t be read: {messageOf(error)}
              </Banner>
            </div>
          ))}
          {panel !== null && (
            <GridPanel
              app={app}
              store={store}
              panel={panel}
              secrets={secrets}
              selection={selection}
              onClose={() => setPanel(null)}
            />
          )}
          {isLoading ? (
            <SkeletonTable columns={app.environments.length + 1} rows={8} />
          ) : rows.length === 0 ? (
            panel === null && problems.length === 0 && <NoSecrets app={app} onOpen={setPanel} />
          ) : (
            <>
              <GridTools
                selection={selection}
                counts={counts}
                onSelect={select}
                isAllShown={isAllShown}
                onToggleAll={toggleAll}
              />
              <SecretsTable rows={shown} folder={selection.path} secrets={secrets} onOpen={setPanel} />
              {shown.length === 0 && (
                <p className="none">
                  No secret matches.{' '}
                  <button type="button" className="link" onClick={() => select({})}>
                    Show all
                  </button>
                </p>
              )}
              <GridLegend />
            </>
          )}
          {drafts.size > 0 && <PendingChanges app={app} store={store} grid={grid} />}
        </div>
      </div>
    </GridContext>
  )
}

/** Opens what the address names behind its `#`, as the search of the console does, and takes it out of the address. */
function usePanelOfAddress(open: (panel: 'new' | 'paste' | 'export') => void) {
  const { hash } = useLocation()
  const navigate = useNavigate({ from: '/apps/$appId/secrets' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: an address is dealt with once
  useEffect(() => {
    if (hash !== 'new' && hash !== 'paste' && hash !== 'export') return
    open(hash)
    void navigate({ search: true, replace: true })
  }, [hash])
}

/** Says who opens the secrets of an app whose server-side encryption is off. */
const OpenedHere = () => (
  <p className="small dim mb-3">
    <Icon name="key" small /> Server-side encryption is off: your browser opens and seals these secrets with
    your keys, and the server gets ciphertext only.
  </p>
)
