import type { Log } from '../../platform/log.ts'
import type { Database } from '../../platform/postgres/database.ts'
import { logRepeated } from '../repeated-lines.ts'

/** What happens so often that it is counted in memory first, in audit entries that count. */
export type RepeatCounts = Readonly<{
  /** Whether there is an entry under this key. */
  has(key: string): boolean
  /** Whether the entry under this key is in the audit log, so that counting again doesn't wait. */
  isStored(key: string): boolean
  /** How many entries a group has had in a minute, and in the hour of that minute. */
  sizeOf(group: string, minute: number): Readonly<{ inMinute: number; inHour: number }>
  /**
   * Counts something. The first of a key in a minute is in the audit log when this resolves: `insert` stores the entry and
   * gives its id. Further ones are added to that entry within seconds. `until` is the last minute of a key that lasts for
   * several; without a group, the entry counts for none.
   */
  count(
    key: string,
    place: { minute: number; until?: number; group?: string },
    insert: () => Promise<string>,
  ): Promise<void>
  /** Adds what was counted to the entries. What can't be written stays counted. */
  flush(): Promise<void>
  /** Flushes for the last time. */
  stop(): Promise<void>
}>

const FLUSH_MILLISECONDS = 5000

export const MINUTES_PER_HOUR = 60
/** The hour of a minute, both counted from 1970. */
export const hourOf = (minute: number): number => Math.floor(minute / MINUTES_PER_HOUR)

type Entry = { until: number; id: Promise<string>; storedId: string | null; repeats: number }
type Group = { minute: number; inMinute: number; inHour: number }

/** Keeps the counts that are not in the database yet. */
export function createRepeatCounts({ db, log }: { db: Database; log: Log }): RepeatCounts {
  const entries = new Map<string, Entry>()
  const groups = new Map<string, Group>()
  /** Those whose counts are being written. */
  const flushing = new Set<Entry>()
  let lastMinute = 0
  let timer: ReturnType<typeof setTimeout> | null = null

  const flush = async (): Promise<void> => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    const repeated = [...entries.values()].filter(({ repeats }) => repeats > 0)
    const taken = repeated.flatMap(takeStored)
    // One that is being stored, or can't be, keeps the others from nothing.
    if (taken.length < repeated.length) flushLater()
    for (const { entry } of taken) flushing.add(entry)
    try {
      if (taken.length > 0) await addCounts(db, taken)
    } catch (error) {
      for (const { entry, count } of taken) entry.repeats += count
      const { name, code } = error as { name?: string; code?: string }
      logRepeated(log, 'error', { cause: name, code }, 'Counts of audit entries could not be written')
      flushLater()
    } finally {
      for (const { entry } of taken) flushing.delete(entry)
    }
  }
  const flushLater = () => {
    timer ??= setTimeout(() => void flush(), FLUSH_MILLISECONDS)
    // A process that has nothing else to do may end: it flushes when it stops.
    ;(timer as { unref?: () => void }).unref?.()
  }
  const forgetBefore = (minute: number) => {
    for (const [key, entry] of entries) {
      if (entry.until < minute && entry.repeats === 0 && !flushing.has(entry)) entries.delete(key)
    }
    for (const [name, group] of groups) {
      if (hourOf(group.minute) < hourOf(minute)) groups.delete(name)
    }
  }
  const sizeOf = (name: string, minute: number) => {
    const group = groups.get(name)
    return {
      inMinute: group?.minute === minute ? group.inMinute : 0,
      inHour: group !== undefined && hourOf(group.minute) === hourOf(minute) ? group.inHour : 0,
    }
  }
  const addTo = (name: string, minute: number) => {
    const { inMinute, inHour } = sizeOf(name, minute)
    groups.set(name, { minute, inMinute: inMinute + 1, inHour: inHour + 1 })
  }

  return {
    has: (key) => entries.has(key),
    isStored: (key) => entries.get(key)?.storedId != null,
    sizeOf,
    count: async (key, { minute, until = minute, group }, insert) => {
      if (minute !== lastMinute) forgetBefore(minute)
      lastMinute = minute
      const known = entries.get(key)
      if (known !== undefined) {
        known.repeats++
        flushLater()
        await known.id
        return
      }
      const entry: Entry = { until, id: insert(), storedId: null, repeats: 0 }
      entries.set(key, entry)
      if (group !== undefined) addTo(group, minute)
      try {
        entry.storedId = await entry.id
      } catch (error) {
        // What could not be stored is tried again by the next one.
        entries.delete(key)
        throw error
      }
    },
    flush,
    stop: async () => {
      await Promise.allSettled([...entries.values()].map(({ id }) => id))
      await flush()
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}

type Counted = Readonly<{ entry: Entry; id: string; count: number }>

/** Takes the count of an entry that is stored; nothing of another one. */
function takeStored(entry: Entry): Counted[] {
  const { storedId: id, repeats: count } = entry
  if (id === null) return []
  entry.repeats = 0
  return [{ entry, id, count }]
}

/** Adds to the counts of entries; those that are gone are passed over. */
async function addCounts(db: Database, counted: readonly Counted[]): Promise<void> {
  const counts = counted.map(({ id, count }) => ({ id, count }))
  await db`
    with locked as (
      -- In one order, so that no two replicas wait for each other.
      select id from audit_entries where id = any(${counts.map(({ id }) => id)}::uuid[]) order by id for update
    )
    update audit_entries a set count = a.count + n.count
    from locked join jsonb_to_recordset(${db.json(counts)}) as n (id uuid, count int) using (id)
    where a.id = locked.id`
}
