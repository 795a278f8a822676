import type { SecretsApp } from './queries.ts'
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
