import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Segments } from '../components/page-head.tsx'
import { type SecretsApp, storeQuery } from './queries.ts'
import { type NamedEnvironment, nameOf, rowsOf } from './secret-rows.ts'
import type { Store } from './store.ts'
import { useSecrets } from './use-grid.ts'

type EnvironmentSegmentsProps = {
  app: SecretsApp
  environment: NamedEnvironment
  name: { path: string; key: string }
}

/** The environments that have the secret: each has a history of its own. */
export function EnvironmentSegments(props: EnvironmentSegmentsProps) {
  const { data: store } = useQuery(storeQuery(props.app))
  return store !== undefined && <Loaded {...props} store={store} />
}

function Loaded({ app, environment, name, store }: EnvironmentSegmentsProps & { store: Store }) {
  const navigate = useNavigate({ from: '/apps/$appId/secrets/$secretId' })
  const { secrets } = useSecrets(app.id, app.environments, store)
  const row = rowsOf(secrets).find((one) => one.name === nameOf(name))
  const others = app.environments.filter(({ id }) => id === environment.id || row?.cells.has(id))
  if (others.length < 2) return null
  return (
    <Segments
      label="Environment"
      value={environment.id}
      options={others.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(id) => {
        const secretId = row?.cells.get(id)?.id
        if (secretId !== undefined) void navigate({ params: { appId: app.id, secretId }, search: {} })
      }}
    />
  )
}
