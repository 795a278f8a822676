import { useState } from 'react'
import { Button, Key } from '../components/button.tsx'
import { Check } from '../components/cell.tsx'
import { toggled } from '../components/toggled.ts'
import { useViewer } from '../shell/viewer.ts'
import { draftedSecret, draftKey } from './drafts.ts'
import { useGrid } from './grid.ts'
import { ReferenceInput } from './reference-input.tsx'
import type { NamedEnvironment, SecretRow } from './secret-rows.ts'

/** Edits one value, in its cell; the same value can be kept for other environments, too, or for the reader alone. */
export function ValueEditor({ row, environment }: { row: SecretRow; environment: NamedEnvironment }) {
  const { environments, drafts, dispatch, edit, may } = useGrid()
  const viewer = useViewer()
  const cell = draftKey(environment.id, row.name)
  const stored = row.cells.get(environment.id)
  const draft = drafts.get(cell)
  const isSealed = stored?.type === 'sealed'
  const drafted = draftedSecret(stored, draft)
  const [value, setValue] = useState(isSealed ? (draft?.change.value ?? '') : (drafted?.value ?? ''))
  const [too, setToo] = useState<ReadonlySet<string>>(new Set())
  const [isOwn, setOwn] = useState(false)
  const others = environments.filter(
    ({ id }) => id !== environment.id && (row.cells.has(id) ? may.update : may.create),
  )
  const leave = () => {
    edit(null)
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>(`[data-cell="${CSS.escape(cell)}"]`)?.focus(),
    )
  }
  const keep = () => {
    if (isOwn)
      dispatch({
        act: 'change',
        environmentId: environment.id,
        row: row.name,
        base: stored ?? null,
        change: { own: value },
      })
    else for (const id of [environment.id, ...too]) dispatch(keepValue(row, id, value))
    leave()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the controls inside
    <div
      className="editor"
      onKeyDown={(event) => {
        if (event.key === 'Escape') leave()
        else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) keep()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <ReferenceInput
        label={`${row.key}, ${environment.name}: ${isOwn ? 'your own value' : 'value'}`}
        value={value}
        onChange={setValue}
        environment={environment}
        placeholder={isSealed ? 'A new value; the present one is never shown' : ''}
        autoFocus
      />
      <div className="row">
        <span className="row toos">
          {!isOwn &&
            others.map(({ id, name }) => (
              <label key={id} className="too">
                <Check checked={too.has(id)} onChange={() => setToo(toggled(too, id))} />
                {name} too
              </label>
            ))}
          {stored !== undefined && viewer.type === 'user' && (
            <label className="too">
              <Check checked={isOwn} onChange={() => setOwn(!isOwn)} />
              Only for me
            </label>
          )}
        </span>
        {stored?.override != null && (
          <Button
            kind="quiet"
            size="sm"
            onClick={() => {
              dispatch({
                act: 'change',
                environmentId: environment.id,
                row: row.name,
                base: stored,
                change: { own: null },
              })
              leave()
            }}
          >
            Remove your own value
          </Button>
        )}
        {stored !== undefined && may.delete && (
          <Button
            kind="quiet"
            size="sm"
            className="danger-quiet"
            onClick={() => {
              dispatch({ act: 'delete', environmentId: environment.id, row: row.name, base: stored })
              leave()
            }}
          >
            Delete here
          </Button>
        )}
        <span className="push row keys">
          <Key>Esc</Key>
          <Key>⌘↵</Key>
          <Button size="sm" onClick={keep}>
            Add to the changes
          </Button>
        </span>
      </div>
    </div>
  )
}

function keepValue(row: SecretRow, environmentId: string, value: string) {
  const base = row.cells.get(environmentId) ?? null
  return {
    act: 'change' as const,
    environmentId,
    row: row.name,
    base,
    change: base === null ? { ...detailsOf(row), value } : { value },
  }
}

/** What a secret has in other environments, for one that is added: its tags, its type and its comment. */
function detailsOf(row: SecretRow) {
  const [other] = row.cells.values()
  return other === undefined ? {} : { tags: other.tags, type: other.type, comment: other.comment }
}
