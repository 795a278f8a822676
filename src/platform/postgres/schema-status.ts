import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Database, Queryable } from './database.ts'
import { leaveConnection } from './deadlines.ts'
import { outageSentence } from './outages.ts'

/**
 * The database's schema beside the one that this program needs. `ready` and `newer` can be worked with;
 * `behind` waits for a migration; `too-new` has been told that programs as old as this one must not use it.
 */
export type SchemaStatus = Readonly<{
  state: 'ready' | 'newer' | 'behind' | 'too-new'
  /** The newest migration in the database; 0 when there is none. */
  version: number
  /** The newest migration that this program knows. */
  required: number
  /** The oldest program that may use the database, by its newest migration. */
  floor: number
  /** Whether it can't be written at the moment, as after a fail-over. */
  readOnly: boolean
}>

type Versions = readonly { readonly version: number }[]

/** Compares the database with `migrations` by one cheap query. Throws what the database throws when it is away. */
export async function schemaStatus(db: Queryable, migrations: Versions): Promise<SchemaStatus> {
  const required = Math.max(0, ...migrations.map((migration) => migration.version))
  const { version, floor, readOnly } = await storedVersions(db)
  return { state: compare(version, required, floor), version, required, floor, readOnly }
}

/** A sentence on why this program can't work with the database, or null when it can. */
export function schemaProblem(status: SchemaStatus): string | null {
  if (status.state === 'behind') {
    return `The database schema is at version ${status.version} and must be at ${status.required}: run "keyward migrate".`
  }
  if (status.state === 'too-new') {
    return (
      `The database schema is at version ${status.version} and needs a Keyward that knows version ${status.floor}. ` +
      `This one knows ${status.required}: start a newer one.`
    )
  }
  return status.readOnly ? outageSentence('read-only') : null
}

export type WaitOptions = {
  timeoutSeconds: number
  log: Log
  signal?: AbortSignal
  /** How long to wait between two checks. */
  pollSeconds?: number
}

/**
 * Waits until the database answers and its schema is at least the program's. Throws a sentence when that takes longer
 * than `timeoutSeconds`, at once when the schema is too new, and the signal's reason when it is aborted.
 */
export async function waitForSchema(db: Database, migrations: Versions, options: WaitOptions): Promise<void> {
  await waitUntil(
    'the database',
    async () => {
      const status = await checkOnce(db, migrations)
      if (typeof status === 'string') return status
      if (status.state === 'too-new') throw new Error(schemaProblem(status) ?? '')
      return schemaProblem(status)
    },
    options,
  )
}

/** Waits until the database answers, whatever its schema. Throws as `waitForSchema` does. */
export async function waitForDatabase(db: Database, options: WaitOptions): Promise<void> {
  await waitUntil(
    'the database',
    async () => {
      const status = await checkOnce(db, [])
      return typeof status === 'string' ? status : null
    },
    options,
  )
}

/**
 * Checks again and again until there is no problem, and logs each new problem. Throws a sentence when that takes
 * longer than `timeoutSeconds`, and the signal's reason when it is aborted.
 */
export async function waitUntil(
  what: string,
  check: () => Promise<string | null>,
  options: WaitOptions,
): Promise<void> {
  const deadline = performance.now() + options.timeoutSeconds * 1000
  let before: string | null = null
  for (;;) {
    options.signal?.throwIfAborted()
    const problem = await check()
    if (problem === null) return
    if (problem !== before) options.log.info({ reason: problem }, `Waiting for ${what}`)
    before = problem
    const left = deadline - performance.now()
    if (left <= 0) throw new Error(`Gave up after ${options.timeoutSeconds} s. ${problem}`)
    await sleep(Math.min(left, (options.pollSeconds ?? 1) * 1000), undefined, { signal: options.signal })
  }
}

async function storedVersions(db: Queryable): Promise<Stored> {
  // A standby says so here too.
  const look = db<Stored[]>`
    select (select coalesce(max(version), 0) from schema_migrations) as version,
      (select coalesce(max(floor), 0) from schema_floor) as floor,
      current_setting('transaction_read_only')::boolean as "readOnly"`
  try {
    const [row] = await look
    if (row?.readOnly) leaveConnection(look)
    return row ?? NOTHING
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return NOTHING
    throw error
  }
}

type Stored = { version: number; floor: number; readOnly: boolean }

const NOTHING: Stored = { version: 0, floor: 0, readOnly: false }

const UNDEFINED_TABLE = '42P01'

function compare(version: number, required: number, floor: number): SchemaStatus['state'] {
  if (required < floor) return 'too-new'
  if (version < required) return 'behind'
  return version > required ? 'newer' : 'ready'
}

// Any error counts: during set-up, the password or the database may be missing for a while.
async function checkOnce(db: Database, migrations: Versions): Promise<SchemaStatus | string> {
  try {
    return await schemaStatus(db, migrations)
  } catch (error) {
    return `The database is not reachable: ${(error as Error).message}.`
  }
}
