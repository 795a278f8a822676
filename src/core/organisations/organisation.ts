import { type Static, Type } from '@sinclair/typebox'
import { Name, StrictObject, Timestamp } from '../schema.ts'

/** An organisation as it is stored. */
export type OrganisationRow = Readonly<{ id: string; name: string; created_at: Date; updated_at: Date }>

/** The organisation as it is shown. */
export const Organisation = Type.Object({
  id: Type.String(),
  name: Type.String(),
  plan: Type.String({ description: '`free`, `pro` or `enterprise`: a setting of the deployment.' }),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
export type Organisation = Static<typeof Organisation>

/** The body that renames the organisation. */
export const UpdateOrganisation = StrictObject({ name: Name(64) })
export type UpdateOrganisation = Static<typeof UpdateOrganisation>

/** The organisation as it is shown; the plan is the deployment's. */
export const present = (row: OrganisationRow, plan: string): Organisation => ({
  id: row.id,
  name: row.name,
  plan,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
