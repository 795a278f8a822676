import { type Static, Type } from '@sinclair/typebox'
import { PrincipalReference, RoleReference } from '../contract/references.ts'
import type { Prefixed } from '../rows.ts'
import type { Row } from '../tables.ts'

/** A principal and an environment that it can access, as they are read. */
export type AccessPairRow = Row<'grants', 'principal_id' | 'app_id' | 'environment_id'> &
  Prefixed<'role_', Row<'roles', 'id' | 'name'>> &
  Readonly<{
    principal_type: Row<'principals', 'type'>['type']
    principal_name: string
    app_name: string
    environment_name: string
    via: 'role' | 'grant'
  }>

/** A principal and an environment that it can access. */
export const AccessPair = Type.Object({
  principal: Type.Composite([PrincipalReference(), Type.Object({ role: RoleReference })]),
  appId: Type.String(),
  appName: Type.String(),
  environmentId: Type.String(),
  environmentName: Type.String(),
  via: Type.Union([Type.Literal('role'), Type.Literal('grant')], {
    description: '`role`: global access; `grant`: granted explicitly.',
  }),
})
export type AccessPair = Static<typeof AccessPair>

/** The principal and the environments to look for; a field that is left out restricts nothing. */
export type AccessFilter = Readonly<{
  memberId?: string
  serviceAccountId?: string
  roleId?: string
  appId?: string
  environmentId?: string
}>

/** A principal and an environment that it can access, as they are shown. */
export const present = (row: AccessPairRow): AccessPair => ({
  principal: {
    type: row.principal_type === 'member' ? 'user' : 'service_account',
    id: row.principal_id,
    name: row.principal_name,
    role: { id: row.role_id, name: row.role_name },
  },
  appId: row.app_id,
  appName: row.app_name,
  environmentId: row.environment_id,
  environmentName: row.environment_name,
  via: row.via,
})
