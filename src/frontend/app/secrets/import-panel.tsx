import { useState } from 'react'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { Field, Input, TextArea } from '../components/field.tsx'
import { useToast } from '../components/toast.tsx'
import { storedPath } from './details-fields.tsx'
import { EnvironmentSelect } from './environment-select.tsx'
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
  const [target, setTarget] = useState(environment ?? app.environments[0])
  const [path, setPath] = useState(selection.path ?? '/')
  const [content, setContent] = useState('')
  const [checked, setChecked] = useState<Checked | null>(null)
  const { busy, problem, setProblem, run } = useAct()
  const reload = useReload(app.id)
  const toast = useToast()
  const edit = (act: () => void) => {
    act()
    setChecked(null)
    setProblem(null)
  }
  const check = async () => {
    if (target === undefined) return
    const file: SecretFile = {
      content,
      path: storedPath(path),
      format: /^\s*\{/.test(content) ? 'json' : 'dotenv',
    }
    setChecked({ file, imported: await store.import(target, file, true) })
  }
  const apply = async ({ file }: Checked) => {
    if (target === undefined) return
    const { created, changed } = await store.import(target, file, false)
    await reload()
    toast(`${created.length} added to ${target.name}, ${changed.length} changed.`)
    onClose()
  }
  const refusal =
    checked !== null ? nothingIn(checked.imported) : content.trim() === '' ? 'There is no text yet.' : null
  const submit = () => {
    if (refusal === null) void run(checked === null ? check : () => apply(checked))
  }
  return (
    <PanelFrame
      title="Paste .env"
      onClose={onClose}
      onSubmit={submit}
      act={
        <Button
          kind={checked === null ? 'plain' : 'primary'}
          hint="⌘↵"
          busy={busy}
          disabledBecause={refusal}
          onClick={submit}
        >
          {checked === null ? 'Show what changes' : `Import into ${target?.name}`}
        </Button>
      }
    >
      <div className="fields">
        <div className="field">
          <span className="label">Environment</span>
          <EnvironmentSelect
            environments={app.environments}
            value={target}
            onChange={(environment) => edit(() => setTarget(environment))}
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
