import { queryOptions } from '@tanstack/react-query'
import { hasGlobalAccess } from '../../../core/permissions.ts'
import { answer, api, ifMatch, taggedAnswer } from '../api/client.ts'
import { can, kindOf, type Viewer } from '../api/me.ts'
import type { AccessApp } from './matrix.ts'

/** Whose access it is. */
export type PrincipalKind = 'member' | 'service_account'

/** The body that sets somebody's whole access. */
export type WholeAccess = { id: string; environments: string[] }[]

const pathOf = (kind: PrincipalKind, id: string) =>
  kind === 'member' ? api.v1.members({ id }).access : api.v1['service-accounts']({ id }).access

/** What a member or service account can open, with the ETag that a change of it names. */
export const accessQuery = (kind: PrincipalKind, id: string) =>
  queryOptions({
    queryKey: [kind === 'member' ? 'members' : 'service-accounts', id, 'access'],
    queryFn: () => taggedAnswer(pathOf(kind, id).get()),
  })

/** Sets the whole access of a member or service account; refused with 412 where it is not what `etag` names. */
export const saveAccess =
  (kind: PrincipalKind, id: string) =>
  (apps: WholeAccess, etag: string): Promise<unknown> =>
    answer(pathOf(kind, id).put({ apps }, ifMatch(etag)))

/** The environments that the viewer can open, and so may give to others. */
export const ownAccessQuery = (viewer: Viewer) =>
  queryOptions({
    queryKey: ['members', viewer.id, 'access', 'apps'],
    queryFn: async (): Promise<readonly AccessApp[]> =>
      (await answer(api.v1.members({ id: viewer.id }).access.get())).apps,
    staleTime: 30_000,
  })

/**
 * All apps and environments of the organisation: what its Owner can open. Where the viewer may not read roles or members,
 * what the viewer can open.
 */
export const everythingQuery = (viewer: Viewer) =>
  queryOptions({
    queryKey: ['access', 'everything'],
    queryFn: async (): Promise<readonly AccessApp[]> => {
      const id = hasGlobalAccess(kindOf(viewer.role)) ? viewer.id : ((await owner(viewer))?.id ?? viewer.id)
      return (await answer(api.v1.members({ id }).access.get())).apps
    },
    staleTime: 30_000,
  })

/** How many environments the organisation has; null where the viewer may not read roles. */
export const environmentCountQuery = (viewer: Viewer) =>
  queryOptions({
    queryKey: ['access', 'environment-count'],
    queryFn: async () => (await owner(viewer))?.accessibleEnvironments ?? null,
    staleTime: 30_000,
  })

async function owner(viewer: Viewer) {
  if (!can(viewer, 'read', 'Roles')) return null
  const roles = await answer(api.v1.roles.get({ query: {} }))
  const role = roles.data.find((role) => kindOf(role) === 'owner')
  if (role === undefined) return null
  const owners = await answer(api.v1.members.get({ query: { role_id: role.id, limit: 1 } }))
  return owners.data[0] ?? null
}
