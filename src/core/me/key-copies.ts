import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import type { Room } from '../large-reads.ts'
import { countKeyCopies } from './queries.ts'

/** To answer with a copy of an environment's keys, of about 650 bytes, takes as long as with so many bytes of others. */
const BYTES_EACH = 1300

/** Reads the rows of all the actor's copies of environment keys, once there is memory for an answer with them. */
export const readKeyCopies = <Row>(
  ctx: Context,
  actor: Actor,
  room: Room,
  read: () => Promise<readonly Row[]>,
): Promise<readonly Row[]> =>
  room.read(
    read,
    (rows) => rows.length * BYTES_EACH,
    async () => (await countKeyCopies(ctx.db, actor.id)) * BYTES_EACH,
  )
