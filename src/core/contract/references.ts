import { type ObjectOptions, type Static, Type } from '@sinclair/typebox'

/** How responses name a role: by id, with the name that it has now. */
export const RoleReference = Type.Object({ id: Type.String(), name: Type.String() })
export type RoleReference = Static<typeof RoleReference>

/** How responses name an organisation. */
export const OrganisationReference = Type.Object({ id: Type.String(), name: Type.String() })
export type OrganisationReference = Static<typeof OrganisationReference>

/** What responses call a member, `user`, or a service account. */
export const PrincipalType = Type.Union([Type.Literal('user'), Type.Literal('service_account')])
export type PrincipalType = Static<typeof PrincipalType>

/** Who acted: `operator` is whoever ran a command on the server, or made a setting. */
export const ActorType = Type.Union([
  Type.Literal('user'),
  Type.Literal('service_account'),
  Type.Literal('operator'),
])
export type ActorType = Static<typeof ActorType>

/** How responses name a member or a service account. */
export const PrincipalReference = (options: ObjectOptions = {}) =>
  Type.Object(
    {
      type: PrincipalType,
      id: Type.String({ description: "The membership's id, or the service account's." }),
      name: Type.String(),
    },
    options,
  )
export type PrincipalReference = Static<ReturnType<typeof PrincipalReference>>
