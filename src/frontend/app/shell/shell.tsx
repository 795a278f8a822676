import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { meQuery, type Viewer } from '../api/me.ts'
import { Key } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Mark, SkeletonTable } from '../components/pieces.tsx'
import { Account } from './account.tsx'
import { countQuery } from './counts.ts'
import { type Entry, navigationFor } from './navigation.ts'
import { NoOrganisation } from './no-organisation.tsx'
import { SessionEnded } from './session-ended.tsx'
import { useShortcut } from './shortcuts.ts'
import { ViewerContext } from './viewer.ts'

const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })))

/** The frame of every page for members: the side bar, the page, the palette, and signing in anew where the session ended. */
export function Shell() {
  const { data: me } = useSuspenseQuery(meQuery)
  if (me.role === null || me.organisation === null) return <NoOrganisation email={me.email ?? ''} />
  return (
    <ViewerContext value={me as Viewer}>
      <Frame viewer={me as Viewer} />
      <SessionEnded email={me.email ?? ''} userId={me.userId} />
    </ViewerContext>
  )
}

function Frame({ viewer }: { viewer: Viewer }) {
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const openPalette = () => setPaletteOpen(true)
  useShortcut('mod+k', openPalette)
  useShortcut('/', () =>
    (document.querySelector<HTMLElement>('[data-search]') ?? { focus: openPalette }).focus(),
  )
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <div className="shell">
        <SideBar viewer={viewer} onSearch={openPalette} />
        <div>
          <TopBar organisation={viewer.organisation.name} onSearch={openPalette} />
          <main id="main" tabIndex={-1}>
            <Suspense fallback={<SkeletonTable />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      {isPaletteOpen && (
        <Suspense>
          <Palette onClose={() => setPaletteOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

function SideBar({ viewer, onSearch }: { viewer: Viewer; onSearch: () => void }) {
  return (
    <header className="side" id="side" aria-label="Organisation" popover="auto">
      <div className="org">
        <Mark />
        {viewer.organisation.name}
      </div>
      <button type="button" className="jump" onClick={onSearch}>
        <Icon name="search" />
        <span>
          Search<span className="vh"> or jump to</span>
        </span>
        <span className="push nowrap">
          <Key>⌘K</Key>
        </span>
      </button>
      <nav aria-label="Main">
        {navigationFor(viewer).map((group) => (
          <ul key={group[0]?.to}>
            {group.map((entry) => (
              <NavigationEntry key={entry.to} {...entry} />
            ))}
          </ul>
        ))}
      </nav>
      <Account viewer={viewer} />
    </header>
  )
}

function NavigationEntry({ label, to, icon, exact = false, count }: Entry) {
  const queryClient = useQueryClient()
  const { data: total } = useQuery({ ...countQuery(count ?? 'members'), enabled: count !== undefined })
  return (
    <li>
      <Link
        to={to}
        activeOptions={{ exact, includeSearch: false }}
        activeProps={{ 'aria-current': 'page' }}
        onClick={() => {
          document.getElementById('side')?.hidePopover?.()
          void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === 'count' })
        }}
      >
        <Icon name={icon} />
        {label}
        {count !== undefined && total !== undefined && total !== null && (
          <span className="count">{total}</span>
        )}
      </Link>
    </li>
  )
}

function TopBar({ organisation, onSearch }: { organisation: string; onSearch: () => void }) {
  return (
    <header className="top-m" aria-label="Top bar">
      <button type="button" className="btn quiet icon" popoverTarget="side" aria-label="Open the menu">
        <Icon name="menu" />
      </button>
      <Mark />
      <span className="truncate">{organisation}</span>
      <button type="button" className="btn quiet icon push" aria-label="Search or jump to" onClick={onSearch}>
        <Icon name="search" />
      </button>
    </header>
  )
}
