import { useState } from 'react'
import { messageOf } from '../api/errors.ts'
import { Button } from '../components/button.tsx'
import { ErrorText } from '../components/field.tsx'
import { Banner } from '../components/pieces.tsx'
import { Select } from '../components/select.tsx'
import { PanelFrame } from './panel.tsx'
import type { PanelProps } from './panel-props.ts'
import type { NamedEnvironment } from './secret-rows.ts'
import type { ExportFormat } from './store.ts'

const FORMATS: Record<ExportFormat, { label: string; meaning: string; file: string }> = {
  dotenv: { label: '.env', meaning: 'Safe to be read by a shell.', file: 'env' },
  json: { label: 'JSON', meaning: 'An object of texts.', file: 'json' },
  yaml: { label: 'YAML', meaning: 'Keys and texts.', file: 'yaml' },
  kubernetes: { label: 'Kubernetes', meaning: 'A Secret, with values in base64.', file: 'k8s.yaml' },
}

/** Saves the secrets of an environment as a file, after saying that it holds them in clear. */
export function ExportPanel({
  app,
  store,
  selection,
  environment,
  onClose,
}: PanelProps & { environment: NamedEnvironment | undefined }) {
  const [target, setTarget] = useState<NamedEnvironment | undefined>(environment ?? app.environments[0])
  const [format, setFormat] = useState<ExportFormat>('dotenv')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const download = async () => {
    if (target === undefined) return
    setBusy(true)
    setProblem(null)
    try {
      save(
        await store.export(target, format, selection.path),
        `${app.name}-${target.name}.${FORMATS[format].file}`,
      )
      onClose()
    } catch (error) {
      setProblem(messageOf(error))
    }
    setBusy(false)
  }
  return (
    <PanelFrame title="Export" onClose={onClose} onSubmit={download}>
      <div className="row">
        <Select
          label="Environment"
          value={target?.id ?? null}
          options={app.environments.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => setTarget(app.environments.find((one) => one.id === id))}
        />
        <Select
          label="Format"
          value={format}
          options={Object.entries(FORMATS).map(([value, { label, meaning }]) => ({
            value: value as ExportFormat,
            label,
            meaning,
          }))}
          onChange={setFormat}
        />
        <span className="dim">
          {selection.path === undefined ? 'All paths' : `The path ${selection.path}`}
        </span>
      </div>
      <Banner tone="warn">
        The file holds every value in clear, with references resolved and your own values where you have some.
        Whoever gets the file can read them. Delete it when it has done its work.
      </Banner>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
      <div className="row panel-acts">
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button busy={busy} icon="download" onClick={download}>
          Save the file in clear
        </Button>
      </div>
    </PanelFrame>
  )
}

function save(text: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name.replaceAll(/[^\w.-]+/g, '-')
  link.click()
  URL.revokeObjectURL(address)
}
