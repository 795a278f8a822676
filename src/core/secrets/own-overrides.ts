import { type Static, Type } from '@sinclair/typebox'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { record } from '../audit/audit.ts'
import { badRequest, notFound } from '../errors.ts'
import { sealUnlessSame } from '../plain-secrets/sealing.ts'
import { enforce } from '../policy.ts'
import { found } from '../rows.ts'
import { StrictObject } from '../schema.ts'
import { beforeChange } from '../transactions.ts'
import { countChange } from './override-limit.ts'
import * as overrideQueries from './override-queries.ts'
import { changedOverrideValues } from './overrides.ts'
import * as policy from './policy.ts'
import * as queries from './queries.ts'
import { MAX_BYTES, Sealed } from './sealed.ts'
import { type Override, presentOverride } from './sealed-secret.ts'
import type { SecretRow } from './secret.ts'
import { eventOf } from './secret-events.ts'
import * as versionQueries from './version-queries.ts'
import { changeSecrets } from './writing.ts'

/** The body that sets the caller's own value of a secret. */
export const SetOverride = StrictObject(
  {
    value: Type.Optional(Sealed(MAX_BYTES.override, 'The value, sealed.')),
    plain_value: Type.Optional(
      Type.String({ description: 'The value in clear, where the app has server-side encryption on.' }),
    ),
    is_active: Type.Optional(Type.Boolean({ description: 'Whether it counts; true for a new one.' })),
  },
  { minProperties: 1 },
)
export type SetOverride = Static<typeof SetOverride>

/**
 * Sets the actor's own value of a secret; what is left out stays. 404 when the actor can open no environment with this
 * secret, 400 for a value in clear where server-side encryption is off, 403 for a service account, 429 for too many
 * changes in an hour.
 */
export const set = (
  ctx: Context,
  actor: Actor,
  secretId: string,
  { value, plain_value: plain, is_active }: SetOverride,
): Promise<Override> => {
  if (value !== undefined && plain !== undefined) throw badRequest('Send value or plain_value, not both.')
  if (plain !== undefined && Buffer.byteLength(plain) > MAX_BYTES.override) {
    throw badRequest(`plain_value must have at most ${MAX_BYTES.override} bytes.`)
  }
  return changeOverride(ctx, actor, secretId, async (tx, change, row) => {
    const now = row.override?.value
    const sealed =
      plain === undefined ? value : await sealUnlessSame(ctx, tx, actor, change.environment, plain, now)
    enforce(policy.override, { actor })
    const override = {
      ...(sealed !== undefined && { value: sealed }),
      ...(is_active !== undefined && { isActive: is_active }),
    }
    const values = changedOverrideValues([{ row, change: { id: row.id, override } }])
    if (values.length > 0) {
      await overrideQueries.put(tx, change, values)
      await record(ctx, tx, actor, eventOf('secret.override_changed', change.environment, [row]))
    }
    const after = await secretOf(tx, change, row.id)
    return presentOverride(found(after?.override ?? undefined, 'Override'))
  })
}

/** Removes the actor's own value of a secret. 404 as for `set`, and when there is none; 403 and 429 as for `set`. */
export const remove = (ctx: Context, actor: Actor, secretId: string): Promise<void> =>
  changeOverride(ctx, actor, secretId, async (tx, change, row) => {
    enforce(policy.override, { actor })
    if (!(await overrideQueries.remove(tx, change, row.id))) throw notFound('Override')
    await record(ctx, tx, actor, eventOf('secret.override_changed', change.environment, [row]))
  })

async function changeOverride<T>(
  ctx: Context,
  actor: Actor,
  secretId: string,
  work: (tx: Transaction, change: queries.Change, row: SecretRow) => Promise<T>,
): Promise<T> {
  const find = () => versionQueries.findEnvironment(ctx.db, actor, secretId)
  const environment = found(await beforeChange(ctx, actor, find), 'Secret')
  await countChange(ctx, actor)
  return changeSecrets(ctx, actor, { environmentId: environment.id }, async (tx, change) =>
    work(tx, change, found(await secretOf(tx, change, secretId.toLowerCase()), 'Secret')),
  )
}

async function secretOf(tx: Transaction, { actor, environment }: queries.Change, id: string) {
  return (await queries.list(tx, actor, environment.id, { ids: [id] }))?.secrets[0]
}
