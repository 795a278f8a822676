import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { messageOf } from '../api/errors.ts'
import { Button } from '../components/button.tsx'
import { download } from '../components/download.ts'
import { Icon } from '../components/icon.tsx'
import { Menu } from '../components/menu.tsx'
import { Banner } from '../components/pieces.tsx'
import { csvOf } from './csv.ts'
import { type Collected, collectEntries, MOST_EXPORTED } from './export-file.ts'
import type { NameOf } from './facts.ts'
import { appNamesQuery } from './names.ts'

type Format = 'csv' | 'json'
type State =
  | { kind: 'reading'; count: number }
  | { kind: 'said'; sentence: string; tone?: 'remove' | 'warn' }
  | null
type ExportProps = { query: Record<string, string>; onState: (state: State) => void }

/** Downloads what is filtered as CSV or JSON; says how far it is, and where it ended early. */
export function ExportMenu({ query, onState }: ExportProps) {
  const running = useRef<AbortController>(null)
  const queryClient = useQueryClient()
  const filters = JSON.stringify(query)
  // An export is of the filters with which it began: with others, it would be taken for theirs.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the filters ends what runs
  useEffect(() => () => running.current?.abort(), [filters])
  const start = async (format: Format) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    onState({ kind: 'reading', count: 0 })
    try {
      const collected = await collectEntries(query, controller.signal, (count) => {
        if (!controller.signal.aborted) onState({ kind: 'reading', count })
      })
      if (controller.signal.aborted) return
      const apps = await queryClient.ensureQueryData(appNamesQuery).catch(() => null)
      save(
        format,
        collected,
        (kind, id) =>
          (kind === 'environment'
            ? apps?.environments.get(id)
            : kind === 'app'
              ? apps?.apps.get(id)
              : null) ?? null,
      )
      onState(outcomeOf(collected))
    } catch (error) {
      if (!controller.signal.aborted) onState({ kind: 'said', tone: 'remove', sentence: messageOf(error) })
    }
  }
  return (
    <Menu
      trigger={
        <button type="button" className="btn">
          <Icon name="download" />
          Export <span className="dim">CSV, JSON</span>
        </button>
      }
      entries={[
        { label: 'Download as CSV', onClick: () => start('csv') },
        { label: 'Download as JSON', onClick: () => start('json') },
      ]}
    />
  )
}

/** How far an export is, or how it ended. */
export function ExportState({ state, onClose }: { state: State; onClose: () => void }) {
  if (state === null) return null
  if (state.kind === 'reading')
    return (
      <p role="status" className="dim">
        Reading entries: {state.count} so far.
      </p>
    )
  return (
    <Banner
      {...(state.tone !== undefined && { tone: state.tone })}
      act={<Button kind="quiet" size="sm" iconOnly icon="x" aria-label="Close" onClick={onClose} />}
    >
      <span role="status">{state.sentence}</span>
    </Banner>
  )
}

export type { State as ExportProgress }

function save(format: Format, { entries }: Collected, nameOf: NameOf): void {
  const name = `audit-log-${new Date().toISOString().slice(0, 10)}.${format}`
  if (format === 'csv') download(name, 'text/csv;charset=utf-8', csvOf(entries, nameOf))
  else download(name, 'application/json', `${JSON.stringify(entries, null, 2)}\n`)
}

function outcomeOf({ entries, isComplete }: Collected): State {
  if (entries.length === 0)
    return { kind: 'said', sentence: 'The file has no entries: none match the filters.' }
  if (isComplete)
    return {
      kind: 'said',
      sentence: `The file has every entry that matches the filters: ${entries.length.toLocaleString()}.`,
    }
  return {
    kind: 'said',
    tone: 'warn',
    sentence: `The file ends after the newest ${MOST_EXPORTED.toLocaleString()} entries; older ones match, too. Filter by days to get them, or read /v1/logs/audit.`,
  }
}
