import { type Static, Type } from '@sinclair/typebox'
import { Name, StrictObject, Timestamp } from '../schema.ts'
import type { Row } from '../tables.ts'

/** An organisation as it is stored. */
export type OrganisationRow = Row<'organisations', 'id' | 'name' | 'created_at' | 'updated_at'>

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

/** An organisation as it is shown; the plan is a setting of the deployment. */
export const present = (row: OrganisationRow, plan: string): Organisation => ({
  id: row.id,
  name: row.name,
  plan,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
})
