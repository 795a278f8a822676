import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Entry } from '../../../core/audit/entry.ts'
import { answer, api } from '../api/client.ts'
import { ApiError } from '../api/errors.ts'
import { can, type Viewer } from '../api/me.ts'
import { nameOf } from '../members/names.ts'
import { useViewer } from '../shell/viewer.ts'
import { isAccess } from './changes.ts'
import type { NamedKind, NameOf } from './facts.ts'
import { sentenceOf } from './sentences.ts'

type ById = 'member' | 'service_account' | 'role'
type Name = { name: string; app?: string }

const KEPT_MS = 300_000

const CLASSES = { member: 'Members', service_account: 'ServiceAccounts', role: 'Roles' } as const

const READS: Readonly<Record<ById, (id: string) => Promise<string>>> = {
  member: async (id) => nameOf(await answer(api.v1.members({ id }).get())),
  service_account: async (id) => (await answer(api.v1['service-accounts']({ id }).get())).name,
  role: async (id) => (await answer(api.v1.roles({ id }).get())).name,
}

/** The name of a member, service account or role; null for one that is gone. */
export const nameQuery = (kind: ById, id: string) =>
  queryOptions({
    queryKey: ['names', kind, id],
    queryFn: () =>
      READS[kind](id).catch((error: unknown) => {
        if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return null
        throw error
      }),
    staleTime: KEPT_MS,
  })

/** The names of the apps that the viewer can access, and of the environments in them. */
export const appNamesQuery = queryOptions({
  queryKey: ['names', 'apps'],
  queryFn: async () => {
    const { data } = await answer(api.v1.apps.get({ query: {} }))
    const apps = new Map<string, Name>(data.map(({ id, name }) => [id, { name }]))
    const environments = new Map<string, Name>(
      data.flatMap((app) => app.environments.map(({ id, name }) => [id, { name, app: app.name }])),
    )
    return { apps, environments, list: data }
  },
  staleTime: KEPT_MS,
})

/** The names of what entries are about, as far as the viewer may read them and the entries don't tell them. */
export function useNames(entries: readonly Entry[]): NameOf {
  const viewer = useViewer()
  const wanted = useMemo(() => wantedNames(entries, viewer), [entries, viewer])
  const { data: apps } = useQuery({ ...appNamesQuery, enabled: wanted.apps && can(viewer, 'read', 'Apps') })
  const found = useQueries({
    queries: wanted.byId.map(({ kind, id }) => nameQuery(kind, id)),
    combine: (results) =>
      new Map(results.map(({ data }, place) => [keyOf(wanted.byId[place]), data ?? null])),
  })
  return useMemo(() => {
    const told = namesIn(entries)
    return (kind, id) => {
      if (kind === 'app') return apps?.apps.get(id) ?? null
      if (kind === 'environment') return apps?.environments.get(id) ?? null
      const name = found.get(keyOf({ kind, id })) ?? told.get(keyOf({ kind, id }))
      return name === undefined || name === null ? null : { name }
    }
  }, [entries, apps, found])
}

const keyOf = (one: { kind: NamedKind; id: string } | undefined): string => `${one?.kind} ${one?.id}`

/** What the sentences of entries ask for, and the entries don't tell. */
function wantedNames(entries: readonly Entry[], viewer: Viewer) {
  const told = namesIn(entries)
  const byId = new Map<string, { kind: ById; id: string }>()
  let wantsApps = false
  const note: NameOf = (kind, id) => {
    if (kind === 'app' || kind === 'environment') wantsApps = true
    else if (can(viewer, 'read', CLASSES[kind]) && !told.has(keyOf({ kind, id })))
      byId.set(keyOf({ kind, id }), { kind, id })
    return null
  }
  for (const entry of entries) sentenceOf(entry, note)
  if (entries.some(isAccess)) wantsApps = true
  return { byId: [...byId.values()], apps: wantsApps }
}

/** The names that entries tell of who acted, and of what they are about. */
function namesIn(entries: readonly Entry[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const {
    actorType,
    actorId,
    actorMetadata,
    resourceType,
    resourceId,
    resourceMetadata,
  } of entries.toReversed()) {
    const note = (kind: string, id: string | null, name: unknown) =>
      id !== null && typeof name === 'string' && name !== '' && names.set(`${kind} ${id}`, name)
    note(actorType === 'user' ? 'member' : 'service_account', actorId, actorMetadata.name)
    note(resourceType, resourceId, resourceMetadata.name)
  }
  return names
}
