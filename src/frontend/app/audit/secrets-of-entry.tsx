import { Link } from '@tanstack/react-router'
import type { Entry } from '../../../core/audit/entry.ts'
import { type NameOf, numberIn } from './facts.ts'

type Secret = Readonly<{ id: string; path: string; version: number }>

/** The secrets that an entry tells of; null where it tells of none. */
export function secretsIn({ oldValues, newValues }: Entry): readonly Secret[] | null {
  const secrets = (newValues ?? oldValues)?.secrets
  return Array.isArray(secrets) ? (secrets as Secret[]) : null
}

/** Which secrets were read or changed: the log has no names of theirs, so each leads to its page. */
export function SecretsOfEntry({
  entry,
  secrets,
  nameOf,
}: {
  entry: Entry
  secrets: readonly Secret[]
  nameOf: NameOf
}) {
  const { resourceId, oldValues, newValues } = entry
  const appId = resourceId === null ? undefined : nameOf('environment', resourceId)?.appId
  const more = (numberIn(newValues ?? oldValues, 'total') ?? 0) - secrets.length
  return (
    <div>
      <table className="before-after">
        <caption className="vh">Secrets</caption>
        <thead>
          <tr>
            <th scope="col">Secret</th>
            <th scope="col">Version</th>
            <th scope="col">Path</th>
          </tr>
        </thead>
        <tbody>
          {secrets.map(({ id, version, path }) => (
            <tr key={`${id} ${version}`}>
              <th scope="row" className="mono">
                {appId === undefined ? (
                  id
                ) : (
                  <Link to="/apps/$appId/secrets/$secretId" params={{ appId, secretId: id }}>
                    {id}
                  </Link>
                )}
              </th>
              <td className="num">{version}</td>
              <td>{path}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p className="small dim">And {more} more.</p>}
      <p className="small dim">The log keeps no names of secrets. The page of each shows it.</p>
    </div>
  )
}
