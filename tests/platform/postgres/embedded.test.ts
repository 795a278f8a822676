import { afterEach, beforeEach, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createLog } from '../../../src/platform/log.ts'
import { clusterDirectory } from '../../../src/platform/postgres/data-directory.ts'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/postgres/embedded.ts'
import { eventually } from '../../support/eventually.ts'
import { startProcess } from '../../support/process.ts'

const script = new URL('../../support/data-directory-process.ts', import.meta.url)
const log = createLog('silent')
const password = 'it is "quoted" and \'quoted\''
const isRoot = process.getuid?.() === 0
// Nobody but its owner can enter it: run by root, this is what a data directory in /root is.
let directory: string
let server: EmbeddedPostgres | undefined

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keyward-embedded-'))
})
afterEach(async () => {
  await server?.stop()
  server = undefined
  await rm(directory, { recursive: true, force: true })
})

async function start(options = { temporary: true }): Promise<EmbeddedPostgres> {
  server = await startEmbeddedPostgres({ directory, password, log, ...options })
  return server
}

async function using<T>(postgres: EmbeddedPostgres, use: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(postgres.config, { max: 1 })
  try {
    return await use(db)
  } finally {
    await db.end({ timeout: 1 })
  }
}

const pidFile = () => join(clusterDirectory(directory), 'postmaster.pid')
const postmasterPid = async () => Number((await readFile(pidFile(), 'utf8')).split('\n')[0])

test('what was written before a stop is there after the next start', async () => {
  const first = await start()
  expect(first.config).toMatchObject({ host: '127.0.0.1', database: 'keyward', username: 'keyward' })
  await using(first, (db) => db`CREATE TABLE kept AS SELECT 'é' AS text`)
  expect((await readdir(directory)).sort()).toEqual(['postgres', 'postgres-start.log'])
  await first.stop()
  await first.exited
  await first.stop()
  const [row] = await using(await start(), (db) => db`SELECT text FROM kept`)
  expect(row).toEqual({ text: 'é' })
  await expect(startEmbeddedPostgres({ directory, password: 'other', log })).rejects.toThrow(
    'does not accept DATABASE_PASSWORD',
  )
})

test('the server is durable unless temporary, and the application is not a superuser', async () => {
  const settings = (db: Database) => db`
    SELECT current_setting('fsync') AS fsync, current_setting('listen_addresses') AS addresses, rolsuper AS super
    FROM pg_roles WHERE rolname = current_user`
  const same = { addresses: '127.0.0.1', super: false }
  expect(await using(await start(), settings)).toMatchObject([{ ...same, fsync: 'off' }])
  await server?.stop()
  expect(await using(await start({ temporary: false }), settings)).toMatchObject([{ ...same, fsync: 'on' }])
})

test('its log is in the data directory, bounded, and without the values of failed statements', async () => {
  const first = await start()
  const folder = join(clusterDirectory(directory), 'log')
  await using(first, async (db) => {
    await db`CREATE TABLE people (email text PRIMARY KEY)`
    await db`INSERT INTO people VALUES ('ada@example.com')`
    await expect(db`INSERT INTO people VALUES ('ada@example.com')`.execute()).rejects.toThrow('duplicate key')
  })
  await first.stop()
  for (let day = 10; day < 20; day++) await writeFile(join(folder, `postgresql-202001${day}-000000.log`), '')
  await start()
  const names = await readdir(folder)
  expect(names.length).toBeLessThanOrEqual(6)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  expect(texts.join()).toContain('ready to accept connections')
  expect(texts.join()).not.toContain('ada@')
})

test('a server outlives its process group, and the next start stops it and goes on with its data', async () => {
  const first = await startProcess(script, [directory, 'serve'])
  expect(first.line.error).toBeUndefined()
  const leftover = await postmasterPid()
  process.kill(-Number(first.child.pid), 'SIGKILL')
  await first.exited
  await eventually('the server listens', () => isListening(first.line.port))
  const second = await startProcess(script, [directory, 'serve'])
  expect(second.line).toMatchObject({ encoding: 'UTF8' })
  expect(await postmasterPid()).not.toBe(leftover)
  expect(await isListening(first.line.port)).toBe(false)
  second.child.stdin?.end()
  await second.exited
  expect(await stat(pidFile()).catch(() => null)).toBeNull()
})

function isListening(port: unknown): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => resolve(socket.destroy() === socket))
    socket.on('error', () => resolve(false))
  })
}

test('a killed server is noticed, and the next start repairs its data', async () => {
  const first = await start({ temporary: false })
  await using(first, (db) => db`CREATE TABLE kept AS SELECT 1 AS id`)
  process.kill(await postmasterPid(), 'SIGKILL')
  await first.exited
  const rows = await using(await start(), (db) => db`SELECT id FROM kept`)
  expect(rows.length).toBe(1)
})

test("another process that has the old server's process id by now is left alone", async () => {
  await (await start()).stop()
  await writeFile(pidFile(), `${process.pid}\n${directory}\n1\n5432\n\n127.0.0.1\n0 0\nready\n`)
  const rows = await using(await start(), (db) => db`SELECT 1`)
  expect(rows.length).toBe(1)
})

test('without LANG the database is UTF8 and compares letters correctly', async () => {
  const { child, line, exited } = await startProcess(script, [directory, 'serve'], { PATH: process.env.PATH })
  expect(line).toMatchObject({ encoding: 'UTF8', lower: 'é', length: 1 })
  child.stdin?.end()
  await exited
})

test('a database of another PostgreSQL version is refused and left as it is', async () => {
  await (await start()).stop()
  const path = join(clusterDirectory(directory), 'PG_VERSION')
  await writeFile(path, '17\n')
  await expect(start()).rejects.toThrow(
    `The database in ${clusterDirectory(directory)} was made by PostgreSQL 17, and this Keyward brings PostgreSQL 18`,
  )
  await rm(path)
  await expect(start()).rejects.toThrow('is not empty, but it holds no readable PG_VERSION')
})

test('a start that was interrupted while it made the database is made anew', async () => {
  const { child, exited } = await startInterrupted()
  child.kill('SIGKILL')
  await exited
  expect((await readdir(directory)).filter((name) => name === 'postgres')).toEqual([])
  const rows = await using(await start(), (db) => db`SELECT 1`)
  expect(rows.length).toBe(1)
  expect((await readdir(directory)).filter((name) => name.startsWith('postgres-new-'))).toEqual([])
})

async function startInterrupted() {
  const child = spawn(process.execPath, [script.pathname, directory, 'serve'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  for (;;) {
    const draft = (await readdir(directory)).find((name) => name.startsWith('postgres-new-'))
    if (draft && (await readdir(join(directory, draft, 'cluster')).catch(() => [])).length > 5) break
    await Bun.sleep(5)
  }
  return { child, exited }
}

test('an ordinary user runs the server as itself', async () => {
  const user = isRoot ? 65534 : (process.getuid?.() ?? 0)
  if (isRoot) await chown(directory, user, user)
  await chmod(directory, 0o700)
  const { child, line, exited } = await startProcess(script, [
    directory,
    'serve',
    ...(isRoot ? [String(user)] : []),
  ])
  // From a checkout that root alone can enter, somebody else can't execute the programs, and is told so.
  if (isRoot && !(await isOpenToOthers(import.meta.dir))) {
    expect(line.error).toMatch(/^The embedded PostgreSQL (does not run|cannot be found) here/)
  } else {
    expect(line.error).toBeUndefined()
    expect((await stat(pidFile())).uid).toBe(user)
  }
  child.stdin?.end()
  await exited
})

/** Whether anybody may enter a folder and every one above it. */
async function isOpenToOthers(folder: string): Promise<boolean> {
  if (((await stat(folder)).mode & 0o1) === 0) return false
  return folder === dirname(folder) || isOpenToOthers(dirname(folder))
}
