import { useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { Button } from '../components/button.tsx'
import { Field, Input, TextArea } from '../components/field.tsx'
import { Select } from '../components/select.tsx'
import { useToast } from '../components/toast.tsx'
import { storedPath } from './details-fields.tsx'
import { ImportDifference } from './import-difference.tsx'
import { PanelFrame } from './panel.tsx'
import type { PanelProps } from './panel-props.ts'
import type { NamedEnvironment } from './secret-rows.ts'
import type { Imported, SecretFile } from './store.ts'
import { useReload } from './use-reload.ts'

type Checked = { file: SecretFile; imported: Imported }

/** Many secrets at once, from text that is pasted or a file: what would change is shown before it does. */
export function ImportPanel({
  app,
  store,
  secrets,
  selection,
  environment,
  onClose,
}: PanelProps & { environment: NamedEnvironment | undefined }) {
  const [target, setTarget] = useState<NamedEnvironment | undefined>(environment ?? app.environments[0])
  const [path, setPath] = useState(selection.path ?? '/')
  const [content, setContent] = useState('')
  const [checked, setChecked] = useState<Checked | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const reload = useReload(app.id)
  const toast = useToast()
  const edit = (act: () => void) => {
    act()
    setChecked(null)
    setProblem(null)
  }
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setProblem(null)
    await work().catch((error: unknown) => setProblem(messageOf(error)))
    setBusy(false)
  }
  const check = () =>
    attempt(async () => {
      if (target === undefined) return
      const file: SecretFile = {
        content,
        path: storedPath(path),
        format: /^\s*\{/.test(content) ? 'json' : 'dotenv',
      }
      setChecked({ file, imported: await store.import(target, file, true) })
    })
  const apply = () =>
    attempt(async () => {
      if (target === undefined || checked === null) return
      const { created, changed } = await store.import(target, checked.file, false)
      await reload()
      toast(`${created.length} added to ${target.name}, ${changed.length} changed.`)
      onClose()
    })
  return (
    <PanelFrame title="Paste .env" onClose={onClose} onSubmit={checked === null ? check : apply}>
      <div className="fields">
        <div className="field">
          <span className="label">Environment</span>
          <Select
            label="Environment"
            value={target?.id ?? null}
            options={app.environments.map(({ id, name }) => ({ value: id, label: name }))}
            onChange={(id) => edit(() => setTarget(app.environments.find((one) => one.id === id)))}
          />
        </div>
        <Field label="Path">
          <Input
            className="mono"
            value={path}
            spellCheck={false}
            onChange={(event) => edit(() => setPath(event.target.value))}
          />
        </Field>
      </div>
      <Field
        label="Text"
        hint="Lines such as KEY=value, or a JSON object of texts. Comments, tags and types of secrets that are there already stay."
        error={problem}
        aside={<FileButton onText={(text) => edit(() => setContent(text))} />}
      >
        <TextArea
          className="mono"
          rows={8}
          value={content}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => edit(() => setContent(event.target.value))}
        />
      </Field>
      {checked !== null && target !== undefined && (
        <ImportDifference {...checked} secrets={secrets.get(target.id) ?? []} />
      )}
      <div className="row panel-acts">
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        {checked === null ? (
          <Button
            hint="⌘↵"
            busy={busy}
            disabledBecause={content.trim() === '' ? 'There is no text yet.' : null}
            onClick={check}
          >
            Show what changes
          </Button>
        ) : (
          <Button
            kind="primary"
            hint="⌘↵"
            busy={busy}
            disabledBecause={nothingIn(checked.imported)}
            onClick={apply}
          >
            Import into {target?.name}
          </Button>
        )}
      </div>
    </PanelFrame>
  )
}

const nothingIn = ({ created, changed }: Imported): string | null =>
  created.length + changed.length === 0 ? 'All of it is there already, with the same values.' : null

function FileButton({ onText }: { onText: (text: string) => void }) {
  return (
    <label className="btn sm">
      Choose a file
      <input
        type="file"
        className="vh"
        accept=".env,.txt,.json,text/*"
        onChange={async ({ target }) => {
          const file = target.files?.[0]
          if (file !== undefined) onText(await file.text())
          target.value = ''
        }}
      />
    </label>
  )
}
