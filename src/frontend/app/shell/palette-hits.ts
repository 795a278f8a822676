import { queryOptions } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { can, type Viewer } from '../api/me.ts'
import type { IconName } from '../components/icon.tsx'
import { nameOf } from '../members/names.ts'

/** Something that the palette leads to. */
export type Hit = { id: string; label: string; detail?: string; icon: IconName; to: string }

/** Each list shows at most this many hits: who wants more, opens the list. */
const MOST = 5

/** People, machines, apps and roles whose name holds a text; of those that the viewer may read. Values are never searched. */
export const hitsQuery = (viewer: Viewer, text: string) =>
  queryOptions({
    queryKey: ['palette', text],
    queryFn: async (): Promise<Hit[]> => (await Promise.all(searches(viewer, text))).flat(),
    enabled: text !== '',
    staleTime: 10_000,
  })

function searches(viewer: Viewer, q: string): Promise<Hit[]>[] {
  const query = { q, limit: MOST }
  return [
    ...(can(viewer, 'read', 'Apps') ? [apps(query)] : []),
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
