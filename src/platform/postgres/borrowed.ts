import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import {
  clusterDirectory,
  DataDirectoryInUse,
  isEmpty,
  openDataDirectory,
  readSecrets,
  type Secrets,
} from './data-directory.ts'
import { type Database, type DatabaseConfig, openDatabase } from './database.ts'
import { loopback, startEmbeddedPostgres } from './embedded.ts'
import { runningPort } from './postmaster.ts'

/** The embedded database of a data directory, for a moment. */
export type BorrowedDatabase = Readonly<{
  config: DatabaseConfig
  secrets: Secrets
  /** Stops the database if it was started for this; others who use it by then finish first, within 10 s. */
  release(): Promise<void>
}>

/** Longer than a running Keyward takes to start or to stop its database. */
const WAIT_SECONDS = 20

/**
 * Uses the embedded database of a data directory: the one that runs for another process, or else one that is started for
 * this. Throws a sentence when the directory has no database, or when its database can't be reached.
 */
export async function borrowDataDirectory(path: string, log: Log): Promise<BorrowedDatabase> {
  const directory = await existing(path)
  const until = performance.now() + WAIT_SECONDS * 1000
  for (;;) {
    const borrowed = (await start(directory, log)) ?? (await connect(directory))
    if (borrowed !== null) return borrowed
    if (performance.now() > until) {
      throw new Error(
        `Another Keyward uses the data directory ${directory}, but its database can't be reached from here: ` +
          'run this command on the same machine and in the same container, as with docker exec.',
      )
    }
    await sleep(100)
  }
}

async function existing(path: string): Promise<string> {
  const directory = await realpath(path).catch(() => resolve(path))
  let empty: boolean
  try {
    empty = await isEmpty(clusterDirectory(directory))
  } catch (error) {
    const code = (error as { code?: unknown }).code
    throw new Error(
      `The data directory ${directory} can't be read (${code}): run this command as the user that runs Keyward.`,
    )
  }
  if (!empty) return directory
  throw new Error(
    `There is no database in the data directory ${directory}: set KEYWARD_DATA to that of your Keyward, or DATABASE_URL.`,
  )
}

/** Null when another process uses the directory. */
async function start(path: string, log: Log): Promise<BorrowedDatabase | null> {
  const directory = await openDataDirectory(path).catch((error) => {
    if (error instanceof DataDirectoryInUse) return null
    throw error
  })
  if (directory === null) return null
  try {
    const password = directory.secrets.DATABASE_PASSWORD
    const postgres = await startEmbeddedPostgres({ directory: path, password, log })
    const release = async () => {
      const lock = await lockOutBorrowers(postgres.config)
      await postgres.stop().finally(() => directory.release())
      await lock.end({ timeout: 0 })
    }
    return { config: postgres.config, secrets: directory.secrets, release }
  } catch (error) {
    await directory.release()
    throw error
  }
}

/** Null when it takes no connections, or is about to stop: it is starting or stopping, or runs elsewhere. */
async function connect(directory: string): Promise<BorrowedDatabase | null> {
  const port = await runningPort(clusterDirectory(directory))
  if (port === null) return null
  const secrets = await readSecrets(directory)
  const config = loopback(port, secrets.DATABASE_PASSWORD)
  // Its session holds the lock until the release.
  const db = openDatabase(config, { max: 1 })
  const release = () => db.end({ timeout: 1 })
  try {
    const [row] = await db`select pg_try_advisory_lock_shared(hashtextextended(${LOCK}, 0)) as free`
    if (row?.free) return { config, secrets, release }
  } catch {
    // It is starting or stopping.
  }
  await release()
  return null
}

/** Held by everyone who uses the database of another process, and by that process when it stops the database. */
const LOCK = 'keyward/borrowed'
const BORROWERS_SECONDS = 10

/** Waits until nobody else uses the database, and then keeps others from it. */
async function lockOutBorrowers(config: DatabaseConfig): Promise<Database> {
  const db = openDatabase(config, { max: 1, lockMilliseconds: BORROWERS_SECONDS * 1000, deadlines: null })
  try {
    await db`select pg_advisory_lock(hashtextextended(${LOCK}, 0))`
  } catch {
    // Somebody takes longer, or the server is gone: it is stopped all the same.
  }
  return db
}
