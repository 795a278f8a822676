import { can, kindOf, type Viewer } from '../api/me.ts'
import { isFound } from './found.ts'
import { type Entry, jobsFor, navigationFor } from './navigation.ts'

/** An entry of the palette, with the words by which people look for it beside its label. */
export type Place = Entry & { words?: string }

/** The pages of the side bar that a text finds, in its order. */
export const pagesFor = (viewer: Viewer, text: string): Place[] =>
  found(navigationFor(viewer).flat().map(withWords), text)

/** The jobs that a text finds. */
export const jobsFoundFor = (viewer: Viewer, text: string): Place[] =>
  found(jobsFor(viewer).map(withWords), text)

/** The parts of the settings that a text finds; none for no text. */
export const settingsFor = (viewer: Viewer, text: string): Place[] =>
  text === ''
    ? []
    : found(
        SETTINGS.filter(({ shownTo }) => shownTo?.(viewer) ?? true),
        text,
      )

const found = (places: readonly Place[], text: string): Place[] =>
  places.filter((place) => isFound(place, text))

const withWords = (entry: Entry): Place => ({ ...entry, words: WORDS[entry.label] ?? '' })

/** Other words for what the side bar and the jobs are called. */
const WORDS: Readonly<Record<string, string>> = {
  Home: 'start dashboard attention',
  'Who can open what': 'access matrix permissions grants',
  Members: 'people users team',
  'Service accounts': 'machines bots robots ci',
  Roles: 'permissions',
  'Apps and secrets': 'projects environments variables vault env',
  'Audit log': 'history events activity logs',
  Settings: 'preferences options',
  'Invite somebody': 'add new member person user people',
  'New app': 'create add project application',
  'New service account': 'create add machine bot robot ci',
  'New role': 'create add permissions',
  'New personal access token': 'create add pat api key cli',
  'End other sessions': 'log logout sign out devices everywhere',
  'Sign out': 'log logout logoff leave exit',
  'Switch between light and dark': 'theme mode appearance colour color',
}

const SETTINGS: readonly (Place & { shownTo?: (viewer: Viewer) => boolean })[] = [
  {
    label: 'Profile and password',
    to: '/settings/profile',
    icon: 'people',
    words: 'account name email e-mail change my',
  },
  {
    label: 'Ways to sign in',
    to: '/settings/sign-in',
    icon: 'passkey',
    words:
      '2fa mfa two-factor second factor authenticator totp otp passkeys security key recovery codes sso single sign-on login linked',
  },
  { label: 'Your tokens', to: '/settings/tokens', icon: 'key', words: 'pat api key personal access cli' },
  { label: 'Sessions', to: '/settings/sessions', icon: 'out', words: 'devices browsers signed in' },
  {
    label: 'This browser',
    to: '/settings/console',
    icon: 'theme',
    words: 'theme dark light mode appearance keyboard shortcuts keys',
  },
  {
    label: 'Organisation',
    to: '/settings/organisation',
    icon: 'sliders',
    words: 'organization rename name company general',
    shownTo: (viewer) => can(viewer, 'read', 'Organisation'),
  },
  {
    label: 'Ownership',
    to: '/settings/ownership',
    icon: 'role',
    words: 'transfer owner',
    shownTo: ({ role }) => kindOf(role) === 'owner',
  },
  {
    label: 'Back up',
    to: '/settings/deployment#back-up',
    icon: 'download',
    words: 'backup restore server secret database dump server_secret',
  },
  {
    label: 'Sign-in methods, address and version',
    to: '/settings/deployment',
    icon: 'info',
    words: 'deployment health status mail smtp host api swagger documentation',
  },
]
