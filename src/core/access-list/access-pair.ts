import { type Static, Type } from '@sinclair/typebox'
import { PrincipalReference } from '../contract/references.ts'
import type { Row } from '../tables.ts'

/** A principal and an environment that it can access, as they are read. */
export type AccessPairRow = Row<'grants', 'principal_id' | 'app_id' | 'environment_id'> &
  Readonly<{
    principal_type: Row<'principals', 'type'>['type']
    principal_name: string
    via: 'role' | 'grant'
  }>

/** A principal and an environment that it can access. */
export const AccessPair = Type.Object({
  principal: PrincipalReference(),
  appId: Type.String(),
  environmentId: Type.String(),
  via: Type.Union([Type.Literal('role'), Type.Literal('grant')], {
    description: '`role`: global access; `grant`: granted explicitly.',
  }),
})
export type AccessPair = Static<typeof AccessPair>

/** The principal and the environments to look for; a field that is left out restricts nothing. */
export type AccessFilter = Readonly<{
  memberId?: string
  serviceAccountId?: string
  appId?: string
  environmentId?: string
}>

/** A principal and an environment that it can access, as they are shown. */
export const present = (row: AccessPairRow): AccessPair => ({
  principal: {
    type: row.principal_type === 'member' ? 'user' : 'service_account',
    id: row.principal_id,
    name: row.principal_name,
  },
  appId: row.app_id,
  environmentId: row.environment_id,
  via: row.via,
})
