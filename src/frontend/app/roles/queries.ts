import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, answer, api, ifMatch, taggedAnswer } from '../api/client.ts'
import { can, type Viewer } from '../api/me.ts'
import { pagedQuery } from '../api/paging.ts'
import { nameOf } from '../members/names.ts'
import { allowedBy, permissionsBody, type RoleState } from './draft.ts'

export type RolesSearch = { q?: string; sort?: 'name' | '-name' | 'created_at' | '-created_at' }

/** Roles with how many hold them, page by page: the default ones first, unless sorted. */
export const rolesListQuery = (search: RolesSearch) =>
  pagedQuery(['roles', 'list', search], (page) => answer(api.v1.roles.get({ query: { ...search, ...page } })))

/** A role with its permissions, and the version that a change of it is based on. */
export const roleQuery = (id: string) =>
  queryOptions({ queryKey: ['roles', id], queryFn: () => taggedAnswer(api.v1.roles({ id }).get()) })

export type Role = AnswerOf<ReturnType<typeof api.v1.roles>['get']>

const NAMED = 3

/** The first who hold a role, and how many there are; null for those whom the viewer may not read. */
export const holdersQuery = (roleId: string, viewer: Viewer) =>
  queryOptions({
    queryKey: ['roles', roleId, 'holders'],
    queryFn: async () => {
      const query = { role_id: roleId, limit: NAMED }
      const [members, accounts] = await Promise.all([
        can(viewer, 'read', 'Members') ? answer(api.v1.members.get({ query })) : null,
        can(viewer, 'read', 'ServiceAccounts') ? answer(api.v1['service-accounts'].get({ query })) : null,
      ])
      const of = (page: { total?: number } | null, named: { id: string; name: string }[]) =>
        page === null ? null : { total: page.total ?? named.length, named }
      return {
        members: of(members, members?.data.map((member) => ({ id: member.id, name: nameOf(member) })) ?? []),
        accounts: of(accounts, accounts?.data.map(({ id, name }) => ({ id, name })) ?? []),
      }
    },
  })

export type Holders = Awaited<ReturnType<NonNullable<ReturnType<typeof holdersQuery>['queryFn']>>>

/** What a role is edited as. */
export const stateOf = (role: Role): RoleState => ({
  name: role.name,
  description: role.description ?? '',
  color: role.color,
  allowed: allowedBy(role.permissions),
})

export const createRole = ({ name, description, color, allowed }: RoleState) =>
  answer(
    api.v1.roles.post({
      name: name.trim(),
      permissions: permissionsBody(allowed),
      ...(description.trim() !== '' && { description: description.trim() }),
      ...(color !== '' && { color }),
    }),
  )

type RoleBody = Parameters<ReturnType<typeof api.v1.roles>['put']>[0]

export const changeRole = (id: string, etag: string, body: RoleBody) =>
  taggedAnswer(api.v1.roles({ id }).put(body, ifMatch(etag)))

export const deleteRole = (id: string, etag: string) =>
  answer(api.v1.roles({ id }).delete(undefined, ifMatch(etag)))
