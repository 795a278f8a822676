import { randomUUID } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { addMember } from '../members/addition.ts'
import { DEFAULT_ROLES } from '../permissions.ts'
import { nameKey } from '../text.ts'
import * as queries from './queries.ts'

/**
 * Creates the deployment's organisation with its five default roles, and the user as its Owner. Requires the lock of the
 * deployment's row, so that it happens once.
 */
export async function createOrganisation(
  ctx: Context,
  tx: Transaction,
  userId: string,
  name: string,
): Promise<{ organisationId: string; memberId: string }> {
  const now = ctx.clock.now()
  const organisationId = randomUUID()
  await queries.insert(tx, { id: organisationId, name, created_at: now, updated_at: now })
  const roles = DEFAULT_ROLES.map(({ kind, name }) => ({
    id: randomUUID(),
    organisation_id: organisationId,
    kind,
    name,
    name_key: nameKey(name),
    created_at: now,
    updated_at: now,
  }))
  await queries.insertRoles(tx, roles)
  await queries.serveOrganisation(tx, organisationId)
  const owner = roles.find((role) => role.kind === 'owner') as (typeof roles)[number]
  const memberId = await addMember(ctx, tx, { organisationId, userId, role: owner })
  return { organisationId, memberId }
}
