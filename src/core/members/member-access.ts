import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { notFound } from '../errors.ts'
import { AccessibleApps, type SetAccess } from '../grants/grant.ts'
import * as grants from '../grants/grants.ts'
import { Member, present } from './member.ts'
import * as queries from './queries.ts'

/** A member with the apps and environments that it can access. */
export const MemberAccess = Type.Composite([Member, Type.Object({ apps: AccessibleApps })])
export type MemberAccess = Static<typeof MemberAccess>

/** What a member can access; with global access that is everything. 404 when there is no such member. */
export const get = (ctx: Context, actor: Actor, id: string): Promise<MemberAccess> => read(ctx.db, actor, id)

/** Sets the entire access of a member, as `grants.set` has it, and gives the new state. */
export const set = (ctx: Context, actor: Actor, id: string, input: SetAccess): Promise<MemberAccess> =>
  grants.set(ctx, actor, { type: 'member', id }, input, (tx, actor) => read(tx, actor, id))

async function read(db: Queryable, actor: Actor, id: string): Promise<MemberAccess> {
  const row = await queries.findWithAccess(db, actor.organisation.id, id)
  if (row === undefined) throw notFound('Member')
  return { ...present(row), apps: row.apps }
}
