import { chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type PostgresBinaries, run, type SystemUser } from './binaries.ts'
import { clusterDirectory, syncDirectory } from './data-directory.ts'

/**
 * Makes a new cluster in a data directory that has none: aside, and renamed when complete, so that a crash leaves
 * no half of one and an existing one is never touched. `temporary` leaves it to the system when to write it out.
 */
export async function initialiseCluster(options: {
  directory: string
  binaries: PostgresBinaries
  account: SystemUser
  password: string
  temporary: boolean
}): Promise<void> {
  const { directory, account } = options
  await removeDrafts(directory)
  const draft = await mkdtemp(join(directory, DRAFT))
  const cluster = join(draft, 'cluster')
  const passwordFile = join(draft, 'password')
  await mkdir(cluster, { mode: 0o700 })
  await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 })
  if (account)
    await Promise.all([draft, cluster, passwordFile].map((path) => chown(path, account.uid, account.gid)))
  try {
    // The user of the database may be unable to walk to its directory, but it starts inside.
    const [target, passwords] = account
      ? ['/proc/self/cwd', '/proc/self/cwd/../password']
      : [cluster, passwordFile]
    await run(options.binaries.initdb, initdbArguments(target, passwords, options.temporary), {
      account,
      cwd: cluster,
    })
    await rename(cluster, clusterDirectory(directory))
    await syncDirectory(directory)
  } catch (error) {
    throw new Error(cannotMake(directory, error instanceof Error ? error.message : String(error)))
  } finally {
    await removeDrafts(directory)
  }
}

const DRAFT = 'postgres-new-'

function initdbArguments(target: string, passwordFile: string, temporary: boolean): string[] {
  return [
    `--pgdata=${target}`,
    `--pwfile=${passwordFile}`,
    '--username=postgres',
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Where the system has no such locale, PostgreSQL's own of that name.
    ...(process.platform === 'linux'
      ? ['--locale=C.UTF-8']
      : ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']),
    ...(temporary ? ['--no-sync'] : []),
  ]
}

function cannotMake(directory: string, words: string): string {
  const advice = words.includes('user does not exist')
    ? '\nPostgreSQL runs only as a user that has a name on this machine (a line in /etc/passwd): use such a user, or set DATABASE_URL.'
    : ''
  return `The database could not be made in ${directory}:\n${words.split('\n').slice(-5).join('\n')}${advice}`
}

async function removeDrafts(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith(DRAFT))
  // An initdb that outlived its killed parent may be writing still: hence again.
  const again = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }
  await Promise.all(names.map((name) => rm(join(directory, name), again)))
}
