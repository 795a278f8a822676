import { useState } from 'react'
import { useAct } from '../components/act.ts'
import { Button } from '../components/button.tsx'
import { download } from '../components/download.ts'
import { ErrorText } from '../components/field.tsx'
import { Banner } from '../components/pieces.tsx'
import { Select } from '../components/select.tsx'
import { EnvironmentSelect } from './environment-select.tsx'
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
  const [target, setTarget] = useState(environment ?? app.environments[0])
  const [format, setFormat] = useState<ExportFormat>('dotenv')
  const { busy, problem, run } = useAct()
  const save = async () => {
    if (target === undefined) return
    const name = `${app.name}-${target.name}.${FORMATS[format].file}`.replaceAll(/[^\w.-]+/g, '-')
    download(name, 'application/octet-stream', await store.export(target, format, selection.path))
    onClose()
  }
  return (
    <PanelFrame
      title="Export"
      onClose={onClose}
      onSubmit={() => run(save)}
      act={
        <Button busy={busy} icon="download" onClick={() => run(save)}>
          Save the file in clear
        </Button>
      }
    >
      <div className="row">
        <EnvironmentSelect environments={app.environments} value={target} onChange={setTarget} />
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
        The file holds every value in clear, with{' '}
        {app.sseEnabled ? 'references resolved' : 'references resolved, except those that name an app,'} and
        your own values where you have some. Whoever gets the file can read them. Delete it when it has done
        its work.
      </Banner>
      {problem !== null && <ErrorText>{problem}</ErrorText>}
    </PanelFrame>
  )
}
