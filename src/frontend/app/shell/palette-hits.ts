import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { ownAccessQuery } from '../access/queries.ts'
import { answer, api } from '../api/client.ts'
import { can, canInApps, type Viewer } from '../api/me.ts'
import type { IconName } from '../components/icon.tsx'
import { nameOf } from '../members/names.ts'
import { wordsOf } from './found.ts'
import type { Act } from './navigation.ts'

/** Something that the palette leads to, or does. */
export type Hit = { id: string; label: string; detail?: string; icon: IconName; to: string; act?: Act }

/** Each list shows at most this many hits: who wants more, opens the list. */
const MOST = 5

/**
 * People, machines, apps, environments and roles whose name holds a text, of those that the viewer may read. Secrets are
 * not searched: the audit log would tell of a read.
 */
export const hitsQuery = (viewer: Viewer, text: string) =>
  queryOptions({
    queryKey: ['palette', text],
    queryFn: async ({ client }): Promise<Hit[]> => (await Promise.all(searches(client, viewer, text))).flat(),
    enabled: text !== '',
    staleTime: 10_000,
  })

function searches(client: QueryClient, viewer: Viewer, q: string): Promise<Hit[]>[] {
  const query = { q, limit: MOST }
  return [
    ...(can(viewer, 'read', 'Apps')
      ? [apps(query), environments(client, viewer, q), secretJobs(viewer, q)]
      : []),
    ...(can(viewer, 'read', 'Members') ? [members(query)] : []),
    ...(can(viewer, 'read', 'ServiceAccounts') ? [serviceAccounts(query)] : []),
    ...(can(viewer, 'read', 'Roles') ? [roles(query)] : []),
  ]
}

type Query = { q: string; limit: number }

const apps = async (query: Query): Promise<Hit[]> =>
  (await answer(api.v1.apps.get({ query }))).data.flatMap(({ id, name, environments }) => [
    {
      id,
      label: name,
      detail: `app, ${environments.map((environment) => environment.name).join(', ')}`,
      icon: 'apps',
      to: `/apps/${id}/secrets`,
    },
    { id: `${id}-access`, label: `See who can open ${name}`, icon: 'grid', to: `/apps/${id}/access` },
  ])

/** The environments that the viewer can open; the API has no search for them. */
async function environments(client: QueryClient, viewer: Viewer, q: string): Promise<Hit[]> {
  const words = wordsOf(q)
  if (q.length < 2) return []
  const apps = await client.fetchQuery(ownAccessQuery(viewer))
  return apps
    .flatMap((app) => app.environments.map((environment) => ({ ...environment, app })))
    .filter(({ name, app }) => {
      const own = name.toLocaleLowerCase()
      const whole = `${own} ${app.name.toLocaleLowerCase()}`
      return words.some((word) => own.includes(word)) && words.every((word) => whole.includes(word))
    })
    .slice(0, MOST)
    .map(({ id, name, app }) => ({
      id,
      label: `${name} of ${app.name}`,
      detail: 'environment',
      icon: 'folder',
      to: `/apps/${app.id}/secrets`,
    }))
}

/** What can be begun with the secrets of an app: "import", "export billing". Further words are looked for in its name. */
async function secretJobs(viewer: Viewer, text: string): Promise<Hit[]> {
  const words = wordsOf(text)
  const job = SECRET_JOBS.find(({ first, needs }) => first.test(text) && canInApps(viewer, needs, 'Secrets'))
  if (job === undefined) return []
  const q = words.filter((word) => !job.words.some((known) => known.startsWith(word))).join(' ')
  const { data } = await answer(api.v1.apps.get({ query: { limit: MOST, ...(q !== '' && { q }) } }))
  return data.map(({ id, name }) => ({
    id: `${job.panel}-${id}`,
    label: job.label(name),
    icon: job.icon,
    to: `/apps/${id}/secrets#${job.panel}`,
  }))
}

type SecretJob = {
  panel: string
  first: RegExp
  words: readonly string[]
  needs: 'read' | 'create'
  icon: IconName
  label: (app: string) => string
}

const SECRET_JOBS: readonly SecretJob[] = [
  {
    panel: 'paste',
    first: /^(imp|past|upload|\.env|dotenv)/i,
    words: ['import', 'paste', 'upload', '.env', 'dotenv', 'file', 'secrets', 'into', 'from', 'a', 'to'],
    needs: 'create',
    icon: 'upload',
    label: (app) => `Import a .env file into ${app}`,
  },
  {
    panel: 'export',
    first: /^(exp|downl)/i,
    words: ['export', 'download', '.env', 'dotenv', 'file', 'secrets', 'of', 'from'],
    needs: 'read',
    icon: 'download',
    label: (app) => `Export secrets of ${app}`,
  },
  {
    panel: 'new',
    first: /^((new|add|create)( a)? sec|sec)/i,
    words: ['new', 'add', 'create', 'a', 'secrets', 'in', 'to'],
    needs: 'create',
    icon: 'plus',
    label: (app) => `New secret in ${app}`,
  },
]

const members = async (query: Query): Promise<Hit[]> =>
  (await answer(api.v1.members.get({ query }))).data.map((member) => ({
    id: member.id,
    label: nameOf(member),
    detail: `${member.role.name}, ${member.email}`,
    icon: 'people',
    to: `/members/${member.id}/access`,
  }))

const serviceAccounts = async (query: Query): Promise<Hit[]> =>
  (await answer(api.v1['service-accounts'].get({ query }))).data.map(({ id, name, role }) => ({
    id,
    label: name,
    detail: `service account, ${role.name}`,
    icon: 'machine',
    to: `/service-accounts/${id}/tokens`,
  }))

const roles = async (query: Query): Promise<Hit[]> =>
  (await answer(api.v1.roles.get({ query }))).data.map(({ id, name, isDefault }) => ({
    id,
    label: name,
    detail: isDefault ? 'default role' : 'custom role',
    icon: 'role',
    to: `/roles/${id}`,
  }))
