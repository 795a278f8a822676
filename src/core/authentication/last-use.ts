import type { Context } from '../../context.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { logRepeated } from '../repeated-lines.ts'
import * as queries from './queries.ts'

/** Writes that a member was seen; service accounts, and users without a membership, are not. */
export function markSeen(ctx: Context, row: queries.CallerRow, now: Date): void {
  if (row.principal_id === null || row.principal_type !== 'member') return
  markUsed(ctx, 'member', row.principal_id, row.last_seen_at, now, (at) => {
    row.last_seen_at = at
  })
}

/**
 * Writes that a token, a session or a member was used, at most once a minute. The response does not wait for it; further
 * requests leave it to the one that writes it, and `written` hears what is stored then. A last use in the future was written
 * before the clock was set back.
 */
export function markUsed(
  ctx: Context,
  what: keyof typeof MARKS,
  id: string,
  lastUsedAt: Date | null,
  now: Date,
  written: (lastUsedAt: Date | null) => void = () => {},
): void {
  const elapsed =
    lastUsedAt === null ? Number.POSITIVE_INFINITY : Math.abs(now.getTime() - lastUsedAt.getTime())
  if (elapsed < LAST_USED_SECONDS * 1000) return
  const marking = markingOf(ctx.db)
  if (marking.has(id)) return
  marking.add(id)
  const since = new Date(now.getTime() - LAST_USED_SECONDS * 1000)
  const marked = ctx.limitSideWrites
    .run(id, async () => await MARKS[what](ctx.db, id, now, since))
    .then(([row]) => written(row?.last_used_at ?? null))
    .catch(() => logRepeated(ctx.log, 'warn', {}, `A ${what}'s last use could not be written`))
    .finally(() => marking.delete(id))
  ctx.afterwards(marked)
}

/** The tokens, sessions and members whose last use is being written, by their ids. */
function markingOf(db: Database): Set<string> {
  const known = markings.get(db)
  if (known !== undefined) return known
  const marking = new Set<string>()
  markings.set(db, marking)
  return marking
}

const markings = new WeakMap<Database, Set<string>>()

/** A last use is written at most this often. */
const LAST_USED_SECONDS = 60

const MARKS = {
  session: queries.markSessionUsed,
  token: queries.markTokenUsed,
  member: queries.markMemberSeen,
}
