import { Select } from '../components/select.tsx'
import type { NamedEnvironment } from './secret-rows.ts'

type EnvironmentSelectProps = {
  environments: readonly NamedEnvironment[]
  value: NamedEnvironment | undefined
  onChange: (environment: NamedEnvironment | undefined) => void
}

/** The environment of an app that a file comes from or goes to. */
export const EnvironmentSelect = ({ environments, value, onChange }: EnvironmentSelectProps) => (
  <Select
    label="Environment"
    value={value?.id ?? null}
    options={environments.map(({ id, name }) => ({ value: id, label: name }))}
    onChange={(id) => onChange(environments.find((environment) => environment.id === id))}
  />
)
