import { useNavigate } from '@tanstack/react-router'
import { Segments } from '../components/page-head.tsx'
import { useGrid } from './grid.ts'
import type { NamedEnvironment, SecretRow } from './secret-rows.ts'

/** The environments that have the secret: each has a history of its own. */
export function EnvironmentSegments({ row, environment }: { row: SecretRow; environment: NamedEnvironment }) {
  const { appId, environments } = useGrid()
  const navigate = useNavigate({ from: '/apps/$appId/secrets/$secretId' })
  const others = environments.filter(({ id }) => id === environment.id || row.cells.has(id))
  if (others.length < 2) return null
  return (
    <Segments
      label="Environment"
      value={environment.id}
      options={others.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => {
        const secretId = row.cells.get(id)?.id
        if (secretId !== undefined) void navigate({ params: { appId, secretId }, search: {} })
      }}
    />
  )
}
