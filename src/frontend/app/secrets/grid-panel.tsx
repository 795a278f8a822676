import { DetailsForm } from './details-form.tsx'
import { ExportPanel } from './export-panel.tsx'
import { ImportPanel } from './import-panel.tsx'
import { NewSecretForm } from './new-secret-form.tsx'
import type { Panel, PanelProps } from './panel-props.ts'
import { RestorePanel } from './restore-panel.tsx'

/** Shows what is being entered: creating and editing happen in the page. */
export function GridPanel({ panel, ...rest }: PanelProps & { panel: Panel }) {
  if (panel.panel === 'new') return <NewSecretForm {...rest} />
  if (panel.panel === 'details')
    return <DetailsForm key={panel.row.name} row={panel.row} onClose={rest.onClose} />
  if (panel.panel === 'paste')
    return <ImportPanel key={panel.environment?.id} environment={panel.environment} {...rest} />
  if (panel.panel === 'export')
    return <ExportPanel key={panel.environment?.id} environment={panel.environment} {...rest} />
  return <RestorePanel key={panel.environment.id} environment={panel.environment} {...rest} />
}
