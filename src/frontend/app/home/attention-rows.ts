import type { IconName } from '../components/icon.tsx'
import { inWords } from '../components/words.ts'
import { nameOf } from '../members/names.ts'
import type { Attention } from './queries.ts'

/** One thing that needs attention: what it is, what follows from it, and the page where it is dealt with. */
export type AttentionRow = {
  id: string
  icon: IconName
  what: string
  why: string
  act: string
  to: string
  search?: Record<string, string>
}

/** Says that somebody who waited for access can open an app now. */
export const givenRow = (app: {
  id: string
  name: string
  environments: readonly { name: string }[]
}): AttentionRow => ({
  id: app.id,
  icon: 'apps',
  what: `You can open ${app.name} now`,
  why: `You were given access to ${inWords(app.environments.map(({ name }) => name))}.`,
  act: 'Open',
  to: `/apps/${app.id}/secrets`,
})

/** Who reads the rows, and whether that is somebody who gives access. */
export type Reader = Readonly<{ id: string; mayGiveAccess: boolean }>

/** How many single things of a kind stand in the list before it says how many more there are. */
export const MOST = 4

/** What needs attention as rows, the most urgent first: what stops working, who is kept out, what waits. */
export function attentionRows(attention: Attention, now: Date, reader: Reader): AttentionRow[] {
  return [
    ...tokenRows(attention.expiringTokens, now),
    ...secretRows(attention.expiringSecrets, now),
    ...denialRows(attention.recentDenials),
    ...memberRows(attention.membersWithoutAccess, reader),
    ...inviteRows(attention.pendingInvites, now),
  ]
}

function tokenRows(tokens: Attention['expiringTokens'], now: Date): AttentionRow[] {
  return (tokens?.data ?? []).slice(0, MOST).map(({ id, name, principal, expiresAt, lastUsedAt }) => ({
    id,
    icon: 'key',
    what: `Token “${name}” of ${principal.name} ${expires(expiresAt, now)}`,
    why:
      lastUsedAt === null
        ? 'It was never used.'
        : `Used ${when(lastUsedAt, now)}. What uses it stops when it ends.`,
    act: 'Replace',
    to: principal.type === 'user' ? '/settings/tokens' : `/service-accounts/${principal.id}/tokens`,
  }))
}

function secretRows(secrets: Attention['expiringSecrets'], now: Date): AttentionRow[] {
  return (secrets?.data ?? [])
    .slice(0, MOST)
    .map(({ id, appId, appName, environmentName, path, expiresAt }) => ({
      id,
      icon: 'clock',
      what: `A secret in ${environmentName} of ${appName} ${expires(expiresAt, now)}`,
      why:
        path === '/'
          ? 'It stays readable: the date says when to change it.'
          : `At ${path}. It stays readable: the date says when to change it.`,
      act: 'Open',
      to: `/apps/${appId}/secrets/${id}`,
    }))
}

function denialRows(denials: Attention['recentDenials']): AttentionRow[] {
  if (denials === undefined || denials.total === 0) return []
  const names = [...new Set(denials.data.map(({ actorMetadata }) => nameIn(actorMetadata)))]
  return [
    {
      id: 'denials',
      icon: 'no',
      what:
        denials.total === 1
          ? `${names[0]} was refused something this week`
          : `${denials.total} requests were refused this week`,
      why: `${denials.total === 1 ? 'They' : listed(names)} may lack access, or may have tried what is not theirs.`,
      act: 'See them',
      to: '/audit',
      search: { outcome: 'refused' },
    },
  ]
}

function memberRows(members: Attention['membersWithoutAccess'], reader: Reader): AttentionRow[] {
  if (members === undefined || members.total === 0) return []
  // Who gives no access is told of their own, and of nobody else's.
  if (!reader.mayGiveAccess) return members.data.some(({ id }) => id === reader.id) ? [OPENS_NOTHING] : []
  const names = members.data.map(nameOf)
  return [
    {
      id: 'without-access',
      icon: 'people',
      what:
        members.total === 1 ? `${names[0]} can open nothing` : `${members.total} members can open nothing`,
      why: `${listed(names)} ${members.total === 1 ? 'has' : 'have'} a role but no environment yet.`,
      act: 'Give access',
      ...(members.total === 1
        ? { to: `/members/${members.data[0]?.id}/access` }
        : { to: '/members', search: { access: 'none' } }),
    },
  ]
}

/** Told to somebody who waits for access. */
export const OPENS_NOTHING: AttentionRow = {
  id: 'without-access',
  icon: 'lock',
  what: 'You can open no environment yet',
  why: 'Somebody who manages members gives you access. Apps and their secrets are shown to you then.',
  act: 'See members',
  to: '/members',
}

function inviteRows(invites: Attention['pendingInvites'], now: Date): AttentionRow[] {
  const first = invites?.data[0]
  if (invites === undefined || first === undefined) return []
  return [
    {
      id: 'invites',
      icon: 'mail',
      what: invites.total === 1 ? 'An invite is open' : `${invites.total} invites are open`,
      why: `${listed(invites.data.map(({ inviteeEmail }) => inviteeEmail))}. The first ${expires(first.expiresAt, now)}.`,
      act: 'See them',
      to: '/members/invites',
    },
  ]
}

const days = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const DAY = 86_400_000

function when(at: string, now: Date): string {
  const distance = Date.parse(at) - now.getTime()
  return Math.abs(distance) < DAY
    ? days.format(Math.round(distance / 3_600_000), 'hour')
    : days.format(Math.round(distance / DAY), 'day')
}

const expires = (at: string, now: Date): string =>
  `${Date.parse(at) < now.getTime() ? 'expired' : 'expires'} ${when(at, now)}`

/** "Ana, Kwame and 3 others". */
function listed(names: readonly string[]): string {
  if (names.length <= 3) return inWords(names)
  return `${names.slice(0, 2).join(', ')} and ${names.length - 2} others`
}

const nameIn = (metadata: unknown): string => {
  const name = (metadata as { name?: unknown; username?: unknown } | null)?.name
  return typeof name === 'string' && name !== '' ? name : 'somebody'
}
