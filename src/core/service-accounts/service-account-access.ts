import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { notFound } from '../errors.ts'
import { AccessibleApps, type SetAccess } from '../grants/grant.ts'
import * as grants from '../grants/grants.ts'
import * as queries from './queries.ts'
import { present, ServiceAccount } from './service-account.ts'

/** A service account with the apps and environments that it can access. */
export const ServiceAccountAccess = Type.Composite([ServiceAccount, Type.Object({ apps: AccessibleApps })])
export type ServiceAccountAccess = Static<typeof ServiceAccountAccess>

/** What a service account can access. 404 when there is no such service account. */
export const get = (ctx: Context, actor: Actor, id: string): Promise<ServiceAccountAccess> =>
  read(ctx.db, actor, id)

/** Sets the entire access of a service account, as `grants.set` has it, and gives the new state. */
export const set = (
  ctx: Context,
  actor: Actor,
  id: string,
  input: SetAccess,
): Promise<ServiceAccountAccess> =>
  grants.set(ctx, actor, { type: 'service_account', id }, input, (tx, actor) => read(tx, actor, id))

async function read(db: Queryable, actor: Actor, id: string): Promise<ServiceAccountAccess> {
  const row = await queries.findWithAccess(db, actor.organisation.id, id)
  if (row === undefined) throw notFound('Service account')
  return { ...present(row), apps: row.apps }
}
