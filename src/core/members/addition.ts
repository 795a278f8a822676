import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { RoleKind } from '../permissions.ts'
import { createPrincipal } from '../principals/principals.ts'

/** Makes a person a member of an organisation, with a role and an identity key; gives the membership's id. */
export async function addMember(
  ctx: Context,
  tx: Transaction,
  member: { organisationId: string; userId: string; role: { id: string; kind: RoleKind } },
): Promise<string> {
  const id = randomUUID()
  const now = ctx.clock.now()
  await createPrincipal(ctx, tx, {
    id,
    organisationId: member.organisationId,
    type: 'member',
    role: member.role,
  })
  await tx`
    insert into members (id, organisation_id, user_id, created_at, updated_at)
    values (${id}, ${member.organisationId}, ${member.userId}, ${now}, ${now})`
  return id
}
