import { type Static, Type } from '@sinclair/typebox'

/** One principal that reaches one environment, as it is read. */
export type AccessPairRow = Readonly<{
  principal_id: string
  principal_type: 'member' | 'service_account'
  principal_name: string
  app_id: string
  environment_id: string
  via: 'role' | 'grant'
}>

/** One principal that reaches one environment. */
export const AccessPair = Type.Object({
  principal: Type.Object({
    type: Type.Union([Type.Literal('user'), Type.Literal('service_account')]),
    id: Type.String({ description: "The membership's id, or the service account's." }),
    name: Type.String(),
  }),
  appId: Type.String(),
  environmentId: Type.String(),
  via: Type.Union([Type.Literal('role'), Type.Literal('grant')], {
    description: '`role`: global access; `grant`: granted explicitly.',
  }),
})
export type AccessPair = Static<typeof AccessPair>

/** Whom and what to look for; whatever is left out is not restricted. */
export type AccessFilter = Readonly<{
  memberId?: string
  serviceAccountId?: string
  appId?: string
  environmentId?: string
}>

/** One principal that reaches one environment, as it is shown. */
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
