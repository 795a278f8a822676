import { can, type Viewer } from '../api/me.ts'
import type { IconName } from '../components/icon.tsx'
import type { CountOf } from './counts.ts'

/** An entry of the side bar or the palette. */
export type Entry = { label: string; to: string; icon: IconName; exact?: boolean; count?: CountOf; act?: Act }

/** What is done where the viewer stands, instead of going to a page. */
export type Act = 'sign-out' | 'switch-theme'

/**
 * What the side bar leads to, without what the viewer may not read: what needs them and who reaches what; who is here;
 * what they open; what happened, and settings.
 */
export const navigationFor = (viewer: Viewer): readonly (readonly Entry[])[] =>
  ENTRIES.map((group) => group.filter(({ shownTo }) => shownTo === undefined || shownTo(viewer))).filter(
    (group) => group.length > 0,
  )

const ENTRIES: readonly (readonly (Entry & { shownTo?: (viewer: Viewer) => boolean })[])[] = [
  [
    { label: 'Home', to: '/', icon: 'home', exact: true },
    {
      label: 'Who can open what',
      to: '/access',
      icon: 'grid',
      shownTo: (viewer) => can(viewer, 'read', 'Members'),
    },
  ],
  [
    {
      label: 'Members',
      to: '/members',
      icon: 'people',
      count: 'members',
      shownTo: (viewer) => can(viewer, 'read', 'Members'),
    },
    {
      label: 'Service accounts',
      to: '/service-accounts',
      icon: 'machine',
      count: 'service-accounts',
      shownTo: (viewer) => can(viewer, 'read', 'ServiceAccounts'),
    },
    {
      label: 'Roles',
      to: '/roles',
      icon: 'role',
      count: 'roles',
      shownTo: (viewer) => can(viewer, 'read', 'Roles'),
    },
  ],
  [
    {
      label: 'Apps and secrets',
      to: '/apps',
      icon: 'apps',
      count: 'apps',
      shownTo: (viewer) => can(viewer, 'read', 'Apps'),
    },
  ],
  [
    { label: 'Audit log', to: '/audit', icon: 'log', shownTo: (viewer) => can(viewer, 'read', 'Logs') },
    { label: 'Settings', to: '/settings', icon: 'sliders' },
  ],
]

/** The jobs that can be started from anywhere, without those that the viewer may not do. */
export const jobsFor = (viewer: Viewer): readonly Entry[] =>
  JOBS.filter(({ shownTo }) => shownTo === undefined || shownTo(viewer))

const JOBS: readonly (Entry & { shownTo?: (viewer: Viewer) => boolean })[] = [
  {
    label: 'Invite somebody',
    to: '/members/invites',
    icon: 'mail',
    shownTo: (viewer) => can(viewer, 'create', 'Members'),
  },
  { label: 'New app', to: '/apps/new', icon: 'apps', shownTo: (viewer) => can(viewer, 'create', 'Apps') },
  {
    label: 'New service account',
    to: '/service-accounts/new',
    icon: 'machine',
    shownTo: (viewer) => can(viewer, 'create', 'ServiceAccounts'),
  },
  { label: 'New role', to: '/roles/new', icon: 'role', shownTo: (viewer) => can(viewer, 'create', 'Roles') },
  { label: 'New personal access token', to: '/settings/tokens', icon: 'key' },
  { label: 'End other sessions', to: '/settings/sessions', icon: 'out' },
  { label: 'Switch between light and dark', to: '#theme', icon: 'theme', act: 'switch-theme' },
  { label: 'Sign out', to: '#sign-out', icon: 'out', act: 'sign-out' },
]
