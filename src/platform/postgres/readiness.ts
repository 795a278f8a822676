import type { Log } from '../log.ts'
import { type Database, recentOutage } from './database.ts'
import { outageOf, outageSentence } from './outages.ts'
import { schemaProblem, schemaStatus } from './schema-status.ts'

/** The database's newest migration where the program can work with it, else what keeps it from that. */
export type Readiness = Readonly<{ schema: number; fault: null } | { fault: string }>

type Stores = Readonly<{ db: Database; log: Log; schemaVersion: number }>

const LONGEST_MILLISECONDS = 2000

/**
 * Finds out whether the program can do its work. However many ask, one look is begun at a time, and given up after
 * two seconds: whoever wants can ask, and a connection may hang although the database is back.
 */
export function readiness(stores: Stores): () => Promise<Readiness> {
  let looking: Promise<Readiness> | null = null
  return () => {
    looking ??= withinLimit(look(stores)).finally(() => {
      looking = null
    })
    return looking
  }
}

async function withinLimit(looking: Promise<Readiness>): Promise<Readiness> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Readiness>((resolve) => {
    timer = setTimeout(resolve, LONGEST_MILLISECONDS, { fault: 'The database does not answer.' })
  })
  try {
    return await Promise.race([looking, late])
  } finally {
    clearTimeout(timer)
  }
}

async function look({ db, log, schemaVersion }: Stores): Promise<Readiness> {
  try {
    const status = await schemaStatus(db, [{ version: schemaVersion }])
    const recent = recentOutage(db)
    const fault = schemaProblem(status) ?? (recent === null ? null : outageSentence(recent))
    return fault === null ? { schema: status.version, fault } : { fault }
  } catch (error) {
    const outage = outageOf(error)
    if (outage === 'unreachable') return { fault: 'The database cannot be reached.' }
    if (outage !== null) return { fault: outageSentence(outage) }
    const { name, code } = error as { name?: string; code?: string }
    log.error({ cause: name, code }, "the database's schema could not be read")
    return { fault: 'The database cannot be used: its schema could not be read.' }
  }
}
