import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { addMember } from '../members/addition.ts'
import { DEFAULT_ROLES } from '../permissions.ts'
import { nameKey } from '../text.ts'

/**
 * Founds the deployment's organisation: the organisation itself, its five default roles, and the person as its Owner.
 * The caller holds the deployment's row, so that it happens once.
 */
export async function createOrganisation(
  ctx: Context,
  tx: Transaction,
  userId: string,
  name: string,
): Promise<{ organisationId: string; memberId: string }> {
  const now = ctx.clock.now()
  const organisationId = randomUUID()
  await tx`insert into organisations ${tx({ id: organisationId, name, created_at: now, updated_at: now })}`
  const roles = DEFAULT_ROLES.map(({ kind, name }) => ({
    id: randomUUID(),
    organisation_id: organisationId,
    kind,
    name,
    name_key: nameKey(name),
    created_at: now,
    updated_at: now,
  }))
  await tx`insert into roles ${tx(roles)}`
  await tx`update deployment set organisation_id = ${organisationId} where organisation_id is null`
  const owner = roles.find((role) => role.kind === 'owner') as (typeof roles)[number]
  const memberId = await addMember(ctx, tx, { organisationId, userId, role: owner })
  return { organisationId, memberId }
}
