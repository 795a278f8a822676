import { type Static, Type } from '@sinclair/typebox'
import { badRequest } from '../errors.ts'
import { Id, StrictObject } from '../schema.ts'
import type { Row } from '../tables.ts'

/** What a principal can access: apps by name, in each the environments by their index. */
export const AccessibleApps = Type.Array(
  Type.Object({
    id: Type.String(),
    name: Type.String(),
    environments: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        envType: Type.String({ description: '`dev`, `staging`, `prod` or `custom`.' }),
      }),
    ),
  }),
)
export type AccessibleApps = Static<typeof AccessibleApps>

/** How much a principal can open, in a list. */
export const AccessCount = () => ({
  accessibleEnvironments: Type.Integer({
    description: 'How many environments it can open, as its access tells: all of them with global access.',
  }),
  globalAccess: Type.Boolean({ description: 'Whether its role has global access.' }),
})

/** How many ids a body that sets access may have, those of apps and of environments together. */
export const MAX_IDS = 10_000

/** The body that sets a principal's access: the entire desired state. `requestedGrants` refuses repeated ids. */
export const SetAccess = StrictObject({
  apps: Type.Array(
    StrictObject({
      id: Id({ description: 'The app.' }),
      environments: Type.Array(Id(), {
        minItems: 1,
        // The id of their app counts too.
        maxItems: MAX_IDS - 1,
        description: 'The environments of the app to grant, none of them twice.',
      }),
    }),
    {
      maxItems: MAX_IDS,
      description: `Apps that are missing lose their access; an empty array revokes everything. At most ${MAX_IDS} ids of apps and environments together.`,
    },
  ),
})
export type SetAccess = Static<typeof SetAccess>

/** The principal whose access it is. */
export type PrincipalRef = Row<'principals', 'type' | 'id'>

/** What the sentences of errors call a principal of each type. */
export const PRINCIPAL_NOUNS = { member: 'Member', service_account: 'Service account' } as const

/** One environment of one app, to be granted. */
export type RequestedGrant = Readonly<{ appId: string; environmentId: string }>

/** The grants that a body asks for, ids in lower case. 400 for a repeated id, or too many. */
export function requestedGrants(input: SetAccess): RequestedGrant[] {
  const count = input.apps.reduce((sum, { environments }) => sum + 1 + environments.length, 0)
  if (count > MAX_IDS) {
    throw badRequest(`apps must have at most ${MAX_IDS} ids of apps and environments together, not ${count}.`)
  }
  const apps = new Set<string>()
  const environments = new Set<string>()
  return input.apps.flatMap((app, index) => {
    const appId = app.id.toLowerCase()
    if (apps.has(appId)) throw badRequest(`apps[${index}].id repeats an app that is listed already.`)
    apps.add(appId)
    return app.environments.map((id, at) => {
      const environmentId = id.toLowerCase()
      if (environments.has(environmentId)) {
        throw badRequest(`apps[${index}].environments[${at}] repeats an environment that is listed already.`)
      }
      environments.add(environmentId)
      return { appId, environmentId }
    })
  })
}

/** How many ids the audit entry of a change of access names, beside the total. */
const IDS_IN_ENTRY = 1000

/** The values of a change of access in its audit entry. */
export const accessValues = (added: readonly RequestedGrant[], revoked: readonly string[]) => ({
  oldValues: { revoked: revoked.slice(0, IDS_IN_ENTRY), total: revoked.length },
  newValues: {
    granted: added.slice(0, IDS_IN_ENTRY).map((grant) => grant.environmentId),
    total: added.length,
  },
})

/** The grants to add and the environments to revoke, from those granted now to those requested. */
export function grantChanges(granted: ReadonlySet<string>, requested: readonly RequestedGrant[]) {
  const requestedIds = new Set(requested.map((grant) => grant.environmentId))
  return {
    added: requested.filter((grant) => !granted.has(grant.environmentId)),
    revoked: [...granted].filter((id) => !requestedIds.has(id)),
  }
}
