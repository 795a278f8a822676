import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { refusalBy } from '../../../core/policy.ts'
import { restore as restorePolicy } from '../../../core/secrets/policy.ts'
import { asRoleHolder, canInApps } from '../api/me.ts'
import { Button } from '../components/button.tsx'
import { Banner } from '../components/pieces.tsx'
import { Select } from '../components/select.tsx'
import { useShortcut } from '../shell/shortcuts.ts'
import { useViewer } from '../shell/viewer.ts'
import type { History } from './history.ts'
import type { SecretsApp } from './queries.ts'
import { RestoreVersion } from './restore-version.tsx'
import type { Version } from './version.ts'
import { VersionDifference } from './version-difference.tsx'

type VersionComparisonProps = { app: SecretsApp; secretId: string; history: History }

/** One version beside another: what differs, in fields and in words; and the way back to the older one. */
export function VersionComparison({ app, secretId, history }: VersionComparisonProps) {
  const { environment, versions } = history
  const viewer = useViewer()
  const search = useSearch({ from: '/shell/apps/$appId/secrets/$secretId' })
  const navigate = useNavigate({ from: '/apps/$appId/secrets/$secretId' })
  const [isShown, setShown] = useState(false)
  const [restoring, setRestoring] = useState<Version | null>(null)
  useShortcut('v', () => setShown(!isShown))
  const place = Math.max(
    0,
    versions.findIndex(({ version }) => version === search.version),
  )
  const version = versions[place]
  const other = versions.find((one) => one.version === search.with) ?? versions[place + 1]
  const newest = versions[0]
  if (version === undefined || newest === undefined) return null
  // Of two versions the older one is restored; a single old one by itself.
  const source = version.version === newest.version ? other : version
  const facts = { actor: asRoleHolder(viewer), isDeleted: newest.event === 'deleted' }
  const refusal = refusalBy(restorePolicy, facts)?.message ?? null
  return (
    <section aria-labelledby="compared">
      <div className="row mb-3">
        <h2 id="compared">Version {version.version}</h2>
        {other !== undefined && (
          <>
            <span className="dim">compared with</span>
            <Select
              label="Compared with"
              value={String(other.version)}
              options={versions
                .filter((one) => one.version !== version.version)
                .map((one) => ({ value: String(one.version), label: `Version ${one.version}` }))}
              onChange={(value) =>
                navigate({ search: { version: version.version, with: Number(value) }, replace: true })
              }
            />
          </>
        )}
        <span className="push row">
          {version.type === 'secret' && (
            <Button
              kind="quiet"
              icon="eye"
              hint="V"
              aria-pressed={isShown}
              onClick={() => setShown(!isShown)}
            >
              {isShown ? 'Hide values' : 'Show values'}
            </Button>
          )}
          {source !== undefined && source.event !== 'deleted' && canInApps(viewer, 'update', 'Secrets') && (
            <Button icon="restore" disabledBecause={refusal} onClick={() => setRestoring(source)}>
              Restore version {source.version}…
            </Button>
          )}
        </span>
      </div>
      <VersionDifference
        appId={app.id}
        environment={environment}
        before={other ?? null}
        after={version}
        isShown={isShown}
      />
      <div className="mt-6">
        <Banner>
          Restoring makes version {newest.version + 1}. Nothing is lost, and everyone who can open{' '}
          {environment.name} of {app.name} gets it at the next read.
        </Banner>
      </div>
      <RestoreVersion
        secretId={secretId}
        appId={app.id}
        version={restoring}
        next={newest.version + 1}
        where={`${environment.name} of ${app.name}`}
        onClose={() => setRestoring(null)}
      />
    </section>
  )
}
