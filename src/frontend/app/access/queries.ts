import { queryOptions } from '@tanstack/react-query'
import { hasGlobalAccess } from '../../../core/permissions.ts'
import { answer, api, ifMatch, taggedAnswer } from '../api/client.ts'
import { can, kindOf, type Viewer } from '../api/me.ts'
import type { AccessApp } from './matrix.ts'

/** Whose access it is. */
export type PrincipalKind = 'member' | 'service_account'

/** Somebody's access as it was read, with its ETag. */
export type AccessRead = Readonly<{
  data: Readonly<{ role: Readonly<{ id: string; name: string }>; apps: readonly AccessApp[] }>
  etag: string
}>

/** The body that sets somebody's whole access. */
export type WholeAccess = { id: string; environments: string[] }[]

/** What a member or service account can open, with the ETag that a change of it names. */
export const accessQuery = (kind: PrincipalKind, id: string) => ({
  queryKey: [kind === 'member' ? 'members' : 'service-accounts', id, 'access'] as const,
  queryFn: (): Promise<AccessRead> =>
    kind === 'member'
      ? taggedAnswer(api.v1.members({ id }).access.get())
      : taggedAnswer(api.v1['service-accounts']({ id }).access.get()),
})

/** Sets the whole access of a member or service account; refused with 412 where it is not what `etag` names. */
export const saveAccess =
  (kind: PrincipalKind, id: string) =>
  (apps: WholeAccess, etag: string): Promise<unknown> =>
    kind === 'member'
      ? answer(api.v1.members({ id }).access.put({ apps }, ifMatch(etag)))
      : answer(api.v1['service-accounts']({ id }).access.put({ apps }, ifMatch(etag)))

/** The environments that the viewer can open, and so may give to others. */
export const ownAccessQuery = (viewer: Viewer) =>
  queryOptions({
    queryKey: ['members', viewer.id, 'access', 'apps'],
    queryFn: (): Promise<readonly AccessApp[]> => ownAccess(viewer),
    staleTime: 30_000,
  })

/** What the viewer can open. Who may not read members may not read their own membership either: the apps tell the same. */
async function ownAccess(viewer: Viewer): Promise<readonly AccessApp[]> {
  if (can(viewer, 'read', 'Members'))
    return (await answer(api.v1.members({ id: viewer.id }).access.get())).apps
  return can(viewer, 'read', 'Apps') ? (await answer(api.v1.apps.get({ query: {} }))).data : []
}

/**
 * All apps and environments of the organisation: what its Owner can open. Where the viewer may not read roles or members,
 * what the viewer can open.
 */
export const everythingQuery = (viewer: Viewer) =>
  queryOptions({
    queryKey: ['access', 'everything'],
    queryFn: async (): Promise<readonly AccessApp[]> => {
      const id = hasGlobalAccess(kindOf(viewer.role)) ? viewer.id : (await owner(viewer))?.id
      return id === undefined ? ownAccess(viewer) : (await answer(api.v1.members({ id }).access.get())).apps
    },
    staleTime: 30_000,
  })

/** How many environments the organisation has; null where the viewer may not read roles and members. */
export const environmentCountQuery = (viewer: Viewer) =>
  queryOptions({
    queryKey: ['access', 'environment-count'],
    queryFn: async () => (await owner(viewer))?.accessibleEnvironments ?? null,
    staleTime: 30_000,
  })

async function owner(viewer: Viewer) {
  if (!can(viewer, 'read', 'Roles') || !can(viewer, 'read', 'Members')) return null
  const roles = await answer(api.v1.roles.get({ query: {} }))
  const role = roles.data.find((role) => kindOf(role) === 'owner')
  if (role === undefined) return null
  const owners = await answer(api.v1.members.get({ query: { role_id: role.id, limit: 1 } }))
  return owners.data[0] ?? null
}
