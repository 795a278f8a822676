import { queryOptions } from '@tanstack/react-query'
import { type RoleHolder, can as roleAllows } from '../../../core/access.ts'
import type {
  Action,
  AppClass,
  DefaultRoleKind,
  OrganisationClass,
  RoleKind,
} from '../../../core/permissions.ts'
import { type AnswerOf, answer, api } from './client.ts'

/** The signed-in user with its role and organisation; both are null where the user is no member. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => answer(api.v1.me.get()),
  staleTime: 30_000,
})

export type Me = AnswerOf<typeof api.v1.me.get>
/** The signed-in user as a member. */
export type Viewer = Me & { role: NonNullable<Me['role']>; organisation: NonNullable<Me['organisation']> }

/** Default roles can't be renamed: their names tell which they are. */
export const kindOf = (role: { name: string; isDefault: boolean }): RoleKind =>
  role.isDefault ? (role.name.toLowerCase() as DefaultRoleKind) : 'custom'

/** The viewer in the form that the product's rules look at. */
export const asRoleHolder = ({ type, id, role }: Viewer): RoleHolder => ({
  type,
  id,
  role: {
    id: role.id,
    kind: kindOf(role),
    permissions: role.permissions as RoleHolder['role']['permissions'],
  },
})

/** Whether the viewer's role allows an action on a class of the organisation. */
export const can = (viewer: Viewer, action: Action, resourceClass: OrganisationClass): boolean =>
  roleAllows(asRoleHolder(viewer), action, resourceClass)

/** Whether the viewer's role allows an action on a class inside apps. */
export const canInApps = (viewer: Viewer, action: Action, resourceClass: AppClass): boolean =>
  roleAllows(asRoleHolder(viewer), action, resourceClass, 'appPermissions')
