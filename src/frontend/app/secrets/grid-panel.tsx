import { DetailsForm } from './details-form.tsx'
import { ExportPanel } from './export-panel.tsx'
import { ImportPanel } from './import-panel.tsx'
import { NewSecretForm } from './new-secret-form.tsx'
import type { SecretsApp } from './queries.ts'
import { RestorePanel } from './restore-panel.tsx'
import type { Secret } from './secret.ts'
import type { NamedEnvironment, SecretRow, Selection } from './secret-rows.ts'
import type { Store } from './store.ts'

/** What is being entered beside the grid. */
export type Panel =
  | { panel: 'new' }
  | { panel: 'details'; row: SecretRow }
  | { panel: 'paste'; environment?: NamedEnvironment }
  | { panel: 'export'; environment?: NamedEnvironment }
  | { panel: 'restore'; environment: NamedEnvironment }

export type PanelProps = {
  app: SecretsApp
  store: Store
  secrets: ReadonlyMap<string, readonly Secret[]>
  selection: Selection
  onClose: () => void
}

/** Shows what is being entered: creating and editing happen in the page. */
export function GridPanel({ panel, ...rest }: PanelProps & { panel: Panel }) {
  if (panel.panel === 'new') return <NewSecretForm {...rest} />
  if (panel.panel === 'details') return <DetailsForm key={panel.row.name} row={panel.row} {...rest} />
  if (panel.panel === 'paste')
    return <ImportPanel key={panel.environment?.id} environment={panel.environment} {...rest} />
  if (panel.panel === 'export')
    return <ExportPanel key={panel.environment?.id} environment={panel.environment} {...rest} />
  return <RestorePanel key={panel.environment.id} environment={panel.environment} {...rest} />
}
