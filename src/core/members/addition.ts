import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { createPrincipal } from '../principals/principals.ts'
import type { RoleRef } from '../roles/role.ts'
import * as queries from './queries.ts'

/** Makes a user a member of an organisation, with a role and an identity key; gives the membership's id. */
export async function addMember(
  ctx: Context,
  tx: Transaction,
  { role, ...member }: queries.NewMember & { role: RoleRef },
): Promise<string> {
  const id = await createPrincipal(ctx, tx, { organisationId: member.organisationId, type: 'member', role })
  await queries.insert(tx, { id, ...member }, ctx.clock.now())
  return id
}
