import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Transaction } from '../../platform/postgres/database.ts'
import { type Actor, inAnotherShare } from '../actor.ts'
import { noteRead, noteReadByChange, type ReadEvent } from '../audit/reads.ts'
import { LARGE_READ_BYTES, LARGE_READS_OF } from '../large-reads.ts'
import { found } from '../rows.ts'
import * as queries from './queries.ts'
import { storedBytes } from './room-queries.ts'
import type { Place, SecretFilter, SecretRow } from './secret.ts'
import { readEventOf } from './secret-events.ts'
import { changeSecrets, keysRenewed } from './writing.ts'

/** Which secrets a change depends on. */
type Seen = Pick<SecretFilter, 'path' | 'ids'>

/** Says what is to be written, by what secrets are. May take long. */
export type Planner<Plan> = (secrets: readonly SecretRow[]) => Promise<Plan>

/**
 * A change of secrets that depends on what they are, as `changeSecrets`. It is planned before it locks the environment, and
 * under the lock only where one of the secrets was changed meanwhile: so changes at the same time are as if one came after
 * the other. With `isRead` the audit log is told that they were read.
 */
export const changePlanned = async <Plan, Done>(
  ctx: Context,
  actor: Actor,
  place: Required<Place>,
  seen: Seen,
  plan: Planner<Plan>,
  write: (tx: Transaction, change: queries.Change, plan: Plan) => Promise<Done>,
  { isRead = false, isDryRun = false } = {},
): Promise<Done> => {
  const size = await sizeOf(ctx, actor, place, seen)
  return await inTurnToPrepare(ctx, actor, place, size, async () => {
    const before = await readInTurn(ctx, actor, size, async () => {
      const listed = found(await queries.list(ctx.db, actor, place.environmentId, seen), 'Environment')
      const { environment, secrets } = listed
      if (isRead) await noteRead(ctx, actor, readEventOf(environment, secrets))
      if (environment.public_key !== place.publicKey) throw keysRenewed()
      // Only a digest is kept until it is this change's turn: many may wait, and secrets take much memory.
      return { state: stateOf(secrets.map(asState)), plan: await plan(secrets) }
    })
    const readAgain: ReadEvent[] = []
    const writePlanned = async (tx: Transaction, change: queries.Change) => {
      const state = stateOf(await queries.listStates(tx, change, seen))
      if (state === before.state) return await write(tx, change, before.plan)
      const { environment } = change
      const { secrets } = found(await queries.list(tx, change.actor, environment.id, seen), 'Environment')
      if (isRead) readAgain.push(readEventOf(environment, secrets))
      return await write(tx, change, await plan(secrets))
    }
    const done = await changeSecrets(ctx, actor, place, writePlanned, { isDryRun })
    for (const event of readAgain) await noteReadByChange(ctx, actor, event)
    return done
  })
}

/** How much a change reads and seals: of few secrets, of many, or of so much that it takes much memory. */
type Size = 'few' | 'many' | 'large'

/** That of a change of so many secrets, as far as sealing them is concerned. */
export const sizeOfCount = (count: number): Size => (count <= 4 ? 'few' : 'many')

/**
 * Does a change that is prepared before it locks the environment: of those of many secrets, one of each share at a time, and
 * beside it a large one, which may have to wait for memory. `TooBusyError` after the wait.
 */
export const inTurnToPrepare = <T>(
  { limitChanges }: Context,
  actor: Actor,
  { environmentId }: Place,
  size: Size,
  work: () => Promise<T>,
): Promise<T> =>
  size === 'few'
    ? work()
    : limitChanges.preparation.run(`${environmentId.toLowerCase()} ${size}`, actor, work)

const asState = ({ id, version, override }: SecretRow) => ({
  id,
  version,
  override_value: override?.value ?? null,
})

/** The same as long as the secrets, and the actor's own values of them, are the same. */
function stateOf(secrets: readonly queries.SecretState[]): string {
  const digest = createHash('sha256')
  for (const { id, version, override_value } of [...secrets].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    digest.update(`${id} ${version} ${override_value ?? '-'}\n`)
  }
  return digest.digest('base64')
}

async function sizeOf(ctx: Context, actor: Actor, { environmentId }: Place, seen: Seen): Promise<Size> {
  if (seen.ids !== undefined && sizeOfCount(seen.ids.length) === 'few') return 'few'
  const bytes = await ctx.limitReads.run(actor, () => storedBytes(ctx.db, actor, environmentId, seen))
  return bytes <= LARGE_READ_BYTES ? 'many' : 'large'
}

/**
 * Does work that loads the secrets that a change depends on in the caller's turn to read; where they take much memory, also in
 * its turn among the large ones, of which it leaves one to the others when it took long. `TooBusyError` after the wait. The
 * work must not wait for a lock.
 */
async function readInTurn<T>(
  { limitReads, limitLargeReads }: Context,
  actor: Actor,
  size: Size,
  work: () => Promise<T>,
): Promise<T> {
  if (size !== 'large') return await limitReads.run(actor, work)
  let used = 0
  const timed = async () => {
    const begunAt = performance.now()
    try {
      return await work()
    } finally {
      used = performance.now() - begunAt
    }
  }
  const read = () => limitReads.run(inAnotherShare(actor, LARGE_READS_OF), timed)
  return await limitLargeReads.run(actor, read, { used: () => used })
}
