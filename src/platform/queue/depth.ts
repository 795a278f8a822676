import { withTimeout } from '../kv/remote.ts'
import { gauge } from '../metrics.ts'
import type { Database } from '../postgres/database.ts'

/** How old the numbers may be, and how long a scrape waits for new ones. */
const FRESH_MS = 10_000
const WAIT_MS = 2000
/** Of each kind, more are not counted. */
const MOST = 10_000

/**
 * Tells how many jobs of these kinds are still to be done, and since when the oldest is, in Prometheus' text format: by one
 * bounded statement every ten seconds at most. Nothing where the database does not answer within two seconds.
 */
export function queueDepth(db: Database, names: readonly string[]): () => Promise<string> {
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<string> = Promise.resolve('')
  return async () => {
    if (performance.now() - readAt > FRESH_MS) {
      readAt = performance.now()
      reading = read(db, names).catch(() => '')
    }
    return await withTimeout(WAIT_MS, reading).catch(() => '')
  }
}

async function read(db: Database, names: readonly string[]): Promise<string> {
  const rows = await db<{ name: string; depth: number; age: number }[]>`
    select wanted.name, waiting.depth::int, waiting.age::float8
    from unnest(${names}::text[]) as wanted (name)
    cross join lateral (
      select count(*) as depth, coalesce(extract(epoch from now() - min(created_on)), 0) as age
      from (
        select created_on from pgboss.job
        where name = wanted.name and state < 'active' and not blocked
        order by priority desc, created_on
        limit ${MOST}
      ) as oldest
    ) as waiting`
  const samples = (value: 'depth' | 'age') =>
    rows.map((row) => `{queue="${row.name}"} ${Math.max(0, Math.round(row[value]))}`)
  return [
    ...gauge('keyward_queue_jobs', 'Jobs that are still to be done, up to 10,000.', samples('depth')),
    ...gauge('keyward_queue_oldest_job_seconds', 'Age of the oldest of them.', samples('age')),
    '',
  ].join('\n')
}
