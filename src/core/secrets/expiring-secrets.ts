import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import type { FirstItems } from '../contract/first-items.ts'
import { Timestamp } from '../schema.ts'
import { type ExpiringSecretRow, expiring } from './expiring-queries.ts'

/** A secret that expires soon or has expired, without its name, which is sealed. */
export const ExpiringSecret = Type.Object({
  id: Type.String(),
  path: Type.String(),
  type: Type.Union([Type.Literal('secret'), Type.Literal('sealed'), Type.Literal('config')]),
  expiresAt: Timestamp(),
  appId: Type.String(),
  appName: Type.String(),
  environmentId: Type.String(),
  environmentName: Type.String(),
})
export type ExpiringSecret = Static<typeof ExpiringSecret>

/**
 * Secrets of the environments that the actor can open: first what expires next, up to a time, then what has expired, the
 * latest first. And how many there are: counted up to `most`.
 */
export async function expiringBy(
  ctx: Context,
  actor: Actor,
  until: Date,
  { shown, most }: { shown: number; most: number },
): Promise<FirstItems<ExpiringSecret>> {
  const rows = await expiring(ctx.db, actor, { now: ctx.clock.now(), until }, shown, most)
  return { total: rows[0]?.total ?? 0, data: rows.map(present) }
}

const present = (row: ExpiringSecretRow): ExpiringSecret => ({
  id: row.id,
  path: row.path,
  type: row.type,
  expiresAt: row.expires_at.toISOString(),
  appId: row.app_id,
  appName: row.app_name,
  environmentId: row.environment_id,
  environmentName: row.environment_name,
})
