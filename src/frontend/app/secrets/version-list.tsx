import { Link, useSearch } from '@tanstack/react-router'
import { DateTime } from '../components/date-time.tsx'
import { Badge } from '../components/pieces.tsx'
import type { Version } from './version.ts'

/** The versions of a secret, newest first: who changed what, and when. */
export function VersionList({ versions }: { versions: readonly Version[] }) {
  const { version: shown } = useSearch({ from: '/shell/apps/$appId/secrets/$secretId' })
  const current = shown ?? versions[0]?.version
  return (
    <nav aria-label="Versions">
      <h2>Versions</h2>
      <ol>
        {versions.map(({ version, actor, changed, createdAt }, place) => (
          <li key={version}>
            <Link
              from="/apps/$appId/secrets/$secretId"
              to="."
              search={{ version }}
              activeProps={{}}
              aria-current={version === current || undefined}
            >
              <span className="vn num">{version}</span>
              <span>
                <b>{actor.name}</b> {changed}
                <br />
                <span className="small dim">
                  <DateTime at={createdAt} />
                </span>
              </span>
              {place === 0 && (
                <span className="push">
                  <Badge>now</Badge>
                </span>
              )}
            </Link>
          </li>
        ))}
      </ol>
      <p className="small dim">The last 100 versions are kept; of a deleted secret, for up to 90 days.</p>
    </nav>
  )
}
