import type { Log } from '../log.ts'
import { type Database, recentOutage } from './database.ts'
import { outageOf, outageSentence } from './outages.ts'
import { schemaProblem, schemaStatus } from './schema-status.ts'

/** The database's newest migration when the program can work with it, else what prevents that. */
export type Readiness = Readonly<{ schema: number; problem: null } | { problem: string }>

type Stores = Readonly<{ db: Database; log: Log; schemaVersion: number }>

const LONGEST_MILLISECONDS = 2000

/**
 * Finds out whether the program can do its work. Concurrent callers on one pool share one check, which times out after two
 * seconds: the route is public, and a connection may hang although the database is back.
 */
export function readiness(stores: Stores): () => Promise<Readiness> {
  // By pool: where each request has its own, none may wait for another's.
  const running = new WeakMap<Database, Promise<Readiness>>()
  return () => {
    const { db } = stores
    const known = running.get(db)
    if (known !== undefined) return known
    const checking = withTimeout(check(stores)).finally(() => running.delete(db))
    running.set(db, checking)
    return checking
  }
}

async function withTimeout(check: Promise<Readiness>): Promise<Readiness> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Readiness>((resolve) => {
    timer = setTimeout(resolve, LONGEST_MILLISECONDS, { problem: 'The database does not answer.' })
  })
  try {
    return await Promise.race([check, late])
  } finally {
    clearTimeout(timer)
  }
}

async function check({ db, log, schemaVersion }: Stores): Promise<Readiness> {
  try {
    const status = await schemaStatus(db, [{ version: schemaVersion }])
    const recent = recentOutage(db)
    const problem = schemaProblem(status) ?? (recent === null ? null : outageSentence(recent))
    return problem === null ? { schema: status.version, problem } : { problem }
  } catch (error) {
    const outage = outageOf(error)
    if (outage === 'unreachable') return { problem: 'The database cannot be reached.' }
    if (outage !== null) return { problem: outageSentence(outage) }
    const { name, code } = error as { name?: string; code?: string }
    log.error({ cause: name, code }, "The database's schema could not be read")
    return { problem: 'The database cannot be used: its schema could not be read.' }
  }
}
