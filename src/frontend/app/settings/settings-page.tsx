import { getRouteApi, Link, Navigate } from '@tanstack/react-router'
import { type ComponentType, Suspense } from 'react'
import { can, kindOf, type Viewer } from '../api/me.ts'
import { PageHead } from '../components/page-head.tsx'
import { SkeletonTable } from '../components/pieces.tsx'
import { useViewer } from '../shell/viewer.ts'
import { ConsolePreferences } from './console-preferences.tsx'
import { Deployment } from './deployment.tsx'
import { Organisation } from './organisation.tsx'
import { Ownership } from './ownership.tsx'
import { Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'
import { Tokens } from './tokens.tsx'
import { WaysToSignIn } from './ways-to-sign-in.tsx'

const route = getRouteApi('/shell/settings/$section')

type Section = { name: string; label: string; Content: ComponentType; shown?: (viewer: Viewer) => boolean }

const GROUPS: readonly { label: string; sections: readonly Section[] }[] = [
  {
    label: 'You',
    sections: [
      { name: 'profile', label: 'Profile and password', Content: Profile },
      { name: 'sign-in', label: 'Ways to sign in', Content: WaysToSignIn },
      { name: 'tokens', label: 'Your tokens', Content: Tokens },
      { name: 'sessions', label: 'Sessions', Content: Sessions },
      { name: 'console', label: 'This browser', Content: ConsolePreferences },
    ],
  },
  {
    label: 'Organisation',
    sections: [
      {
        name: 'organisation',
        label: 'General',
        Content: Organisation,
        shown: (viewer) => can(viewer, 'read', 'Organisation'),
      },
      {
        name: 'ownership',
        label: 'Ownership',
        Content: Ownership,
        shown: ({ role }) => kindOf(role) === 'owner',
      },
    ],
  },
  {
    label: 'Deployment',
    sections: [{ name: 'deployment', label: 'Sign-in, backup, version', Content: Deployment }],
  },
]

/** The settings: of the reader, of the organisation, and what the deployment sets. Each section has its address. */
export function SettingsPage() {
  const viewer = useViewer()
  const { section } = route.useParams()
  const groups = GROUPS.map(({ label, sections }) => ({
    label,
    sections: sections.filter(({ shown }) => shown?.(viewer) ?? true),
  })).filter(({ sections }) => sections.length > 0)
  const current = groups.flatMap(({ sections }) => sections).find(({ name }) => name === section)
  if (current === undefined)
    return <Navigate to="/settings/$section" params={{ section: 'profile' }} replace />
  return (
    <>
      <PageHead title="Settings" />
      <div className="set">
        <nav aria-label="Settings">
          {groups.map(({ label, sections }) => (
            <div key={label} className="contents">
              <h2>{label}</h2>
              <ul>
                {sections.map(({ name, label }) => (
                  <li key={name}>
                    <Link
                      to="/settings/$section"
                      params={{ section: name }}
                      activeProps={{ 'aria-current': 'page' }}
                    >
                      {label}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <div>
          <Suspense fallback={<SkeletonTable columns={3} rows={3} />}>
            <current.Content />
          </Suspense>
        </div>
      </div>
    </>
  )
}
