import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import type { Actor } from '../actor.ts'
import { badRequest } from '../errors.ts'
import { loadFastestAead } from '../keys/xchacha20poly1305.ts'
import { found } from '../rows.ts'
import { SSE_OFF } from '../secrets/rekeying.ts'
import type { NewOverride, NewSecret, SecretChange, SecretRow } from '../secrets/secret.ts'
import { nameKey } from '../text.ts'
import { yieldWhenDue } from '../yielding.ts'
import type { Openable } from './not-openable.ts'
import { type OpenedEnvironment, opened, textOpener } from './opening.ts'
import type { PlainChange, PlainNewSecret } from './plain-input.ts'
import { type EnvironmentWithKeys, findByName } from './queries.ts'

/** Seals texts for an environment under one ephemeral key, and lets others have a turn in between. */
type Sealer = Disposable & {
  seal(text: string): Promise<string>
  named(key: string): Promise<{ key: string; keyDigest: string }>
}

/** New secrets as they are stored. */
export async function sealNew(
  environment: OpenedEnvironment,
  secrets: readonly PlainNewSecret[],
): Promise<NewSecret[]> {
  using sealer = sealerFor(environment)
  const sealed: NewSecret[] = []
  for (const secret of secrets) {
    const { comment = '', path = '/', tags = [], type = 'secret', expiresAt = null, override } = secret
    sealed.push({
      ...(await sealer.named(secret.key)),
      value: await sealer.seal(secret.value),
      comment: comment === '' ? '' : await sealer.seal(comment),
      path,
      tags,
      type,
      expiresAt,
      ...(override !== undefined && { override: await sealOverride(sealer, override) }),
    })
  }
  return sealed
}

/**
 * Changes of secrets as they are stored, without what is the same in clear as it is now: a text that is sealed again would
 * look like a change. Not so for whoever may not read: a change that makes no version would tell that a guess was right.
 * 409 as `textOpener` for a text that stays and can't be opened.
 */
export async function sealChanges(
  environment: OpenedEnvironment,
  changes: readonly PlainChange[],
  present: readonly SecretRow[],
  mayRead: boolean,
): Promise<SecretChange[]> {
  using sealer = sealerFor(environment)
  const byId = new Map(present.map((row) => [row.id, row]))
  const open = textOpener(environment)
  const sealed: SecretChange[] = []
  for (const { key, value, comment, override, ...rest } of changes) {
    const row = byId.get(rest.id)
    // Undefined where the text stays.
    const change = async (text: string | undefined, now: string | undefined, what?: Openable) => {
      if (text === undefined) {
        if (now !== undefined) await open(rest.id, now, what)
        return undefined
      }
      if (mayRead && now !== undefined && now !== '' && environment.open(now) === text) return undefined
      return await sealer.seal(text)
    }
    const newKey = await change(key, row?.key)
    const newValue = await change(value, row?.value)
    const newComment = comment === '' ? '' : await change(comment, row?.comment)
    const ownValue = await change(override?.value, row?.override?.value, 'Your override of the secret')
    sealed.push({
      ...rest,
      ...(newKey !== undefined && { key: newKey, keyDigest: environment.digest(key ?? '') }),
      ...(newValue !== undefined && { value: newValue }),
      ...(newComment !== undefined && { comment: newComment }),
      ...(override !== undefined && {
        override: {
          ...(ownValue !== undefined && { value: ownValue }),
          ...(override.isActive !== undefined && { isActive: override.isActive }),
        },
      }),
    })
  }
  return sealed
}

/**
 * A text as it is stored for an environment that the actor can open; undefined where it is the same in clear as it is
 * `now`. 400 where the app has server-side encryption off.
 */
export async function sealUnlessSame(
  ctx: Context,
  tx: Transaction,
  actor: Actor,
  { app_id, name }: Pick<EnvironmentWithKeys, 'app_id' | 'name'>,
  text: string,
  now: string | undefined,
): Promise<string | undefined> {
  const row = found(await findByName(tx, actor, app_id, nameKey(name)), 'Environment')
  if (!row.sse_enabled) throw badRequest(SSE_OFF)
  await loadFastestAead()
  using environment = opened(ctx, row)
  if (now !== undefined && environment.open(now) === text) return undefined
  using sealer = sealerFor(environment)
  return await sealer.seal(text)
}

function sealerFor(environment: OpenedEnvironment): Sealer {
  const pause = yieldWhenDue()
  const encapsulation = environment.seals()
  const seal = async (text: string) => {
    await pause()
    return encapsulation.wrap(text)
  }
  return {
    seal,
    named: async (key) => ({ key: await seal(key), keyDigest: environment.digest(key) }),
    [Symbol.dispose]: () => encapsulation[Symbol.dispose](),
  }
}

const sealOverride = async (sealer: Sealer, { value, isActive }: NewOverride): Promise<NewOverride> => ({
  ...(value !== undefined && { value: await sealer.seal(value) }),
  ...(isActive !== undefined && { isActive }),
})
