import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, realpath, rename } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync as SqliteFile } from 'node:sqlite'

const SECRETS = ['SECRET_KEY', 'SERVER_SECRET', 'DATABASE_PASSWORD', 'REDIS_PASSWORD'] as const

/** The four secrets, each 64 hex characters. */
export type Secrets = Record<(typeof SECRETS)[number], string>

/** A data directory that this process alone uses until `release`, or until it ends in whatever way. */
export type DataDirectory = {
  path: string
  secrets: Secrets
  /** Whether it holds no database yet. */
  firstStart: boolean
  release(): Promise<void>
}

/** The data directory is locked by another process. */
export class DataDirectoryInUse extends Error {}

/**
 * Makes the data directory where it is missing (0700), locks it and reads its secrets; generates them as long as
 * there is no database. Throws one sentence when another process uses it, when it can't be written, or when a
 * secret of an existing database is missing.
 */
export async function openDataDirectory(path: string): Promise<DataDirectory> {
  const directory = await makeDirectory(resolve(path))
  const unlock = await lock(directory)
  try {
    const firstStart = await isEmpty(clusterDirectory(directory))
    const secrets = await readOrMakeSecrets(directory, firstStart)
    return { path: directory, secrets, firstStart, release: async () => unlock() }
  } catch (error) {
    unlock()
    throw error
  }
}

/** The secrets of a data directory that has a database, whoever uses it. Throws a sentence when one is missing. */
export const readSecrets = (directory: string): Promise<Secrets> => readOrMakeSecrets(directory, false)

/** Where a data directory keeps its database. */
export function clusterDirectory(dataDirectory: string): string {
  return join(dataDirectory, 'postgres')
}

/** Makes the names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

/** Whether a directory is missing or has nothing in it. */
export async function isEmpty(path: string): Promise<boolean> {
  const names = await readdir(path).catch((error) => {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  })
  return names.length === 0
}

async function makeDirectory(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    return await realpath(path)
  } catch (error) {
    throw unusable(path, error)
  }
}

const openLocks = new Set<SqliteFile>()

/**
 * The lock is SQLite's: a POSIX record lock, which the kernel releases when the process ends, and which children
 * do not inherit. So there is no stale lock file and no reused process id.
 */
async function lock(directory: string): Promise<() => void> {
  const path = join(directory, 'lock')
  try {
    // Never opened when it exists: closing any handle of a file drops this process's record locks on it.
    await open(path, 'wx', 0o600).then((handle) => handle.close())
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unusable(directory, error)
  }
  const file = acquireLock(directory, path)
  // Kept here, because garbage collection of the handle would release the lock.
  openLocks.add(file)
  return () => {
    if (openLocks.delete(file)) file.close()
  }
}

function acquireLock(directory: string, path: string): SqliteFile {
  let file: SqliteFile | undefined
  try {
    file = new SqliteFile(path)
    // Of two that start at one instant, both may hold a part of the lock for a moment: the wait lets one win.
    file.exec('PRAGMA busy_timeout = 250')
    file.exec('BEGIN EXCLUSIVE')
    return file
  } catch (error) {
    file?.close()
    if (isLocked(error)) {
      throw new DataDirectoryInUse(
        `Another Keyward is running on the data directory ${directory}: stop it first, or give this one another directory with KEYWARD_DATA.`,
      )
    }
    throw unusable(directory, error)
  }
}

/** SQLite's code 5, which not every runtime tells; its words are in English always. */
function isLocked(error: unknown): boolean {
  const { errcode, message } = error as { errcode?: number; message?: string }
  return errcode === 5 || message === 'database is locked'
}

async function readOrMakeSecrets(directory: string, firstStart: boolean): Promise<Secrets> {
  const folder = join(directory, 'secrets')
  const found = await Promise.all(SECRETS.map((name) => readSecret(join(folder, name))))
  const missing = SECRETS.filter((_, index) => found[index] === null)
  if (missing.length > 0 && !firstStart) throw new Error(missingSecrets(directory, missing))
  if (missing.length > 0) await mkdir(folder, { recursive: true, mode: 0o700 })
  const values = await Promise.all(SECRETS.map((name, index) => found[index] ?? generateSecret(folder, name)))
  if (missing.length > 0) {
    await syncDirectory(folder)
    await syncDirectory(directory)
  }
  return Object.fromEntries(SECRETS.map((name, index) => [name, values[index]])) as Secrets
}

async function readSecret(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch((error) => {
    if (codeOf(error) === 'ENOENT') return null
    throw new Error(`The secret file ${path} cannot be read (${codeOf(error)}).`)
  })
  if (text === null) return null
  const secret = text.trim()
  if (/^[0-9a-f]{64}$/i.test(secret)) return secret
  throw new Error(
    `The secret file ${path} does not hold 64 hexadecimal characters: put back the file from your backup.`,
  )
}

/** Complete or not there at all, so that a crash midway leaves nothing that the next start stumbles over. */
async function generateSecret(folder: string, name: string): Promise<string> {
  const secret = randomBytes(32).toString('hex')
  const draft = join(folder, `.${name}.new`)
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(`${secret}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, join(folder, name))
  return secret
}

function missingSecrets(directory: string, names: string[]): string {
  const files = names.map((name) => `secrets/${name}`).join(', ')
  return (
    `The data directory ${directory} has a database, but ${files} ${names.length === 1 ? 'is' : 'are'} missing. ` +
    `Put back from your backup what is missing: a new secret would not work with this database.`
  )
}

function unusable(path: string, error: unknown): Error {
  const user = process.getuid ? `user ${process.getuid()}` : 'this user'
  return new Error(
    `Keyward cannot use the data directory ${path} (${codeOf(error) ?? 'unknown error'}): it must be a directory that ${user} can write, on a file system with locks.`,
  )
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}
