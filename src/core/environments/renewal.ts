import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { generateEnvironmentKeys } from '../keys/environment-keys.ts'
import { wrapCopies, wrapForServer } from './key-copies.ts'
import * as queries from './queries.ts'

/** New keys of an environment, which count from `store` on. */
export type Renewal = ReturnType<typeof createRenewal>

/** Generates a new seed and salt for an environment. */
export function createRenewal(
  ctx: Context,
  tx: Transaction,
  { id, app_id }: Readonly<{ id: string; app_id: string }>,
) {
  const keys = generateEnvironmentKeys()
  const wrapped = wrapForServer(ctx, id, keys)
  const ready = new Map<string, queries.NewKeyCopy>()

  /** The copies for those who have access now; what was wrapped before is not wrapped again. */
  const copies = async (): Promise<queries.NewKeyCopy[]> => {
    const principals = await queries.principalsWithCopies(tx, id)
    const missing = principals.filter((principal) => !ready.has(nameOf(principal)))
    const made = await wrapCopies(ctx, missing, [{ id, app_id, ...wrapped }])
    for (const [index, principal] of missing.entries()) {
      ready.set(nameOf(principal), made[index] as queries.NewKeyCopy)
    }
    return principals.map((principal) => ready.get(nameOf(principal)) as queries.NewKeyCopy)
  }

  return {
    keys,
    /** Wraps the copies that `store` will need, as far as that can be known already. */
    prepare: async (): Promise<void> => {
      await copies()
    },
    /**
     * Has the environment have these keys, and everybody with a copy of the old ones a copy of these; gives how many.
     * Requires the organisation's lock: nobody may get or lose access meanwhile.
     */
    store: async (): Promise<number> => {
      const present = await copies()
      await queries.replaceKeys(tx, id, { public_key: keys.publicKey, ...wrapped })
      await queries.replaceKeyCopies(tx, present)
      return present.length
    },
  }
}

const nameOf = ({ id, identity_key }: { id: string; identity_key: string }) => `${id} ${identity_key}`
