import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Actor } from '../actor.ts'
import { logRepeated } from '../repeated-lines.ts'
import { entryRow } from './audit.ts'
import type { EventOf } from './events.ts'
import * as queries from './queries.ts'

/** Something that was read, and is noted each time. */
export type ReadEvent = EventOf<'secret.read'>

/** Tells the audit log of reads, those of one minute in one entry with their count. */
export type ReadRecords = Readonly<{
  /**
   * Notes a read. The first one of its kind is in the audit log when this resolves; repeats of the same actor, token,
   * address, client and minute that read the same are counted, and added to that entry within seconds.
   */
  note(ctx: Context, actor: Actor, event: ReadEvent): Promise<void>
  /** Adds what was counted to the entries. What can't be written stays counted. */
  flush(): Promise<void>
  /** Flushes for the last time. */
  stop(): Promise<void>
}>

const FLUSH_MILLISECONDS = 5000

/** So many entries a token has in a minute about one environment; further reads share one. */
const MOST_ENTRIES_PER_MINUTE = 20

type Entry = { minute: number; id: Promise<string>; repeats: number }

/** Keeps the counts of reads that are not in the database yet. */
export function createReadRecords({ db, log }: Pick<Context, 'db' | 'log'>): ReadRecords {
  const entries = new Map<string, Entry>()
  const counts = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | null = null

  const flush = async (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const due = [...entries.values()].filter(({ repeats }) => repeats > 0)
    const added = await Promise.all(
      due.map(async (entry) => {
        const count = entry.repeats
        entry.repeats = 0
        return { entry, count, id: await entry.id }
      }),
    )
    try {
      if (added.length > 0)
        await queries.addCounts(
          db,
          added.map(({ id, count }) => ({ id, count })),
        )
    } catch (error) {
      for (const { entry, count } of added) entry.repeats += count
      const { name, code } = error as { name?: string; code?: string }
      logRepeated(log, 'error', { cause: name, code }, 'The count of reads could not be written')
      flushLater()
    }
  }
  const flushLater = () => {
    timer ??= setTimeout(() => void flush(), FLUSH_MILLISECONDS)
    ;(timer as { unref?: () => void }).unref?.()
  }
  const forgetBefore = (minute: number) => {
    for (const [key, entry] of entries) if (entry.minute < minute && entry.repeats === 0) entries.delete(key)
    for (const key of counts.keys()) if (Number(key.slice(0, key.indexOf(' '))) < minute) counts.delete(key)
  }
  let lastMinute = 0

  return {
    note: async (ctx, actor, event) => {
      const minute = Math.floor(ctx.clock.now().getTime() / 60_000)
      if (minute !== lastMinute) forgetBefore(minute)
      lastMinute = minute
      const holder = `${minute} ${actor.id} ${actor.credential.id} ${event.environmentId}`
      const own = `${holder} ${ownPart(actor, event)}`
      const isOwn = entries.has(own) || (counts.get(holder) ?? 0) < MOST_ENTRIES_PER_MINUTE
      const key = isOwn ? own : holder
      const known = entries.get(key)
      if (known !== undefined) {
        known.repeats++
        flushLater()
        await known.id
        return
      }
      counts.set(holder, (counts.get(holder) ?? 0) + 1)
      const id = insert(ctx, actor, isOwn ? event : withoutDetails(event), key, isOwn)
      entries.set(key, { minute, id, repeats: 0 })
      id.catch(() => entries.delete(key))
      await id
    },
    flush,
    stop: async () => {
      await flush()
      if (timer !== null) clearTimeout(timer)
    },
  }
}

/** What tells a reader's reads of one environment in one minute apart. */
const ownPart = ({ source }: Actor, event: ReadEvent): string =>
  JSON.stringify([source.ipAddress, source.userAgent, digestOf(event)])

const digests = new WeakMap<ReadEvent, string>()

/** Of what was read: computed once for an answer that is sent many times. */
function digestOf(event: ReadEvent): string {
  const known = digests.get(event)
  if (known !== undefined) return known
  const digest = createHash('sha256').update(JSON.stringify(event.newValues)).digest('base64')
  digests.set(event, digest)
  return digest
}

const withoutDetails = (event: ReadEvent): ReadEvent => ({
  ...event,
  newValues: { secrets: [], total: null },
  description: 'Secrets were read many times, in many ways, within a minute.',
})

/** Stores the entry of a read, or counts it in the one that another replica has stored; gives the entry's id. */
async function insert(
  ctx: Context,
  actor: Actor,
  event: ReadEvent,
  key: string,
  withSource: boolean,
): Promise<string> {
  const entry = entryRow(ctx, actor, actor.organisation.id, event)
  const source = withSource ? {} : { ip_address: null, user_agent: null }
  const coalesce_key = createHash('sha256').update(`read ${key}`).digest()
  return await queries.insertOrCount(ctx.db, { ...entry, ...source, coalesce_key })
}
