import { DateTime } from '../components/date-time.tsx'
import type { NamedEnvironment } from './secret-rows.ts'
import type { Secret } from './store.ts'

/** The head of an environment's column: how many secrets it has, when they last changed, and what can be done with all of them. */
export function EnvironmentHead({ environment, secrets = [] }: { environment: NamedEnvironment; secrets: readonly Secret[] | undefined }) {
  const changedAt = secrets.reduce<string | null>((last, { updatedAt }) => (last === null || updatedAt > last ? updatedAt : last), null)
  return (
    <th scope="col">
      {environment.name}
      <small className="num">
        {secrets.length} {secrets.length === 1 ? 'secret' : 'secrets'}
        {changedAt !== null && (
          <>
            , changed <DateTime at={changedAt} />
          </>
        )}
      </small>
    </th>
  )
}
