import type { Log } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { logRepeated } from '../repeated-lines.ts'

/** What happens so often that it is counted in memory first, in audit entries that count. */
export type RepeatCounts = Readonly<{
  /** Whether there is an entry under this key. */
  has(key: string): boolean
  /** How many entries there are in a group. */
  sizeOf(group: string): number
  /**
   * Counts something. The first of a key in a minute is in the audit log when this resolves: `insert` stores the entry and
   * gives its id. Further ones are added to that entry within seconds.
   */
  count(key: string, place: { minute: number; group: string }, insert: () => Promise<string>): Promise<void>
  /** Adds what was counted to the entries. What can't be written stays counted. */
  flush(): Promise<void>
  /** Flushes for the last time. */
  stop(): Promise<void>
}>

const FLUSH_MILLISECONDS = 5000

type Entry = { minute: number; group: string; id: Promise<string>; repeats: number }

/** Keeps the counts that are not in the database yet. */
export function createRepeatCounts({ db, log }: { db: Database; log: Log }): RepeatCounts {
  const entries = new Map<string, Entry>()
  const groups = new Map<string, number>()
  let lastMinute = 0
  let timer: ReturnType<typeof setTimeout> | null = null

  const flush = async (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const taken = [...entries.values()].filter(({ repeats }) => repeats > 0).map(take)
    try {
      const counts = await Promise.all(taken.map(async ({ entry, count }) => ({ id: await entry.id, count })))
      if (counts.length > 0) await addCounts(db, counts)
    } catch (error) {
      for (const { entry, count } of taken) entry.repeats += count
      const { name, code } = error as { name?: string; code?: string }
      logRepeated(log, 'error', { cause: name, code }, 'Counts of audit entries could not be written')
      flushLater()
    }
  }
  const flushLater = () => {
    timer ??= setTimeout(() => void flush(), FLUSH_MILLISECONDS)
    // A process that has nothing else to do may end: it flushes when it stops.
    ;(timer as { unref?: () => void }).unref?.()
  }
  const forget = (key: string, { group }: Entry) => {
    entries.delete(key)
    const left = (groups.get(group) ?? 1) - 1
    if (left === 0) groups.delete(group)
    else groups.set(group, left)
  }
  const forgetBefore = (minute: number) => {
    for (const [key, entry] of entries) {
      if (entry.minute < minute && entry.repeats === 0) forget(key, entry)
    }
  }

  return {
    has: (key) => entries.has(key),
    sizeOf: (group) => groups.get(group) ?? 0,
    count: async (key, { minute, group }, insert) => {
      if (minute !== lastMinute) forgetBefore(minute)
      lastMinute = minute
      const known = entries.get(key)
      if (known !== undefined) {
        known.repeats++
        flushLater()
        await known.id
        return
      }
      const entry = { minute, group, id: insert(), repeats: 0 }
      entries.set(key, entry)
      groups.set(group, (groups.get(group) ?? 0) + 1)
      // What could not be stored is tried again by the next one.
      entry.id.catch(() => forget(key, entry))
      await entry.id
    },
    flush,
    stop: async () => {
      await flush()
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}

function take(entry: Entry): { entry: Entry; count: number } {
  const count = entry.repeats
  entry.repeats = 0
  return { entry, count }
}

/** Adds to the counts of entries; those that are gone are passed over. */
const addCounts = (db: Database, counts: readonly Readonly<{ id: string; count: number }>[]) => db`
  with locked as (
    -- In one order, so that no two replicas wait for each other.
    select id from audit_entries where id = any(${counts.map(({ id }) => id)}::uuid[]) order by id for update
  )
  update audit_entries a set count = a.count + n.count
  from locked join jsonb_to_recordset(${db.json(counts as never)}) as n (id uuid, count int) using (id)
  where a.id = locked.id`
