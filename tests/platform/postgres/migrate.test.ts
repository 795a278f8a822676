import { afterEach, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fakeClock } from '../../../src/platform/clock.ts'
import { type Database, openDatabase } from '../../../src/platform/postgres/database.ts'
import { type Migration, migrate, readMigrations } from '../../../src/platform/postgres/migrate.ts'
import {
  schemaProblem,
  schemaStatus,
  waitForDatabase,
  waitForSchema,
} from '../../../src/platform/postgres/schema-status.ts'
import { emptyDatabase, type TestDatabase } from '../../support/database.ts'
import { recordedLog } from '../../support/log-recorder.ts'

const clock = fakeClock(new Date('2026-03-04T05:06:07Z'))
const { log, lines } = recordedLog()
const undo: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one()
})

async function database(options?: { encoding: string }): Promise<TestDatabase> {
  const made = await emptyDatabase(options)
  undo.push(made.drop)
  return made
}

/** Reads a folder with these texts as `0001_step.sql`, `0002_step.sql` … */
async function steps(...texts: string[]): Promise<Migration[]> {
  return await folder(
    Object.fromEntries(texts.map((text, index) => [`${String(index + 1).padStart(4, '0')}_step.sql`, text])),
  )
}

async function folder(files: Record<string, string>): Promise<Migration[]> {
  const path = await mkdtemp(join(tmpdir(), 'keyward-migrations-'))
  undo.push(() => rm(path, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text)
  return await readMigrations(pathToFileURL(`${path}/`))
}

const run = (db: Database, migrations: Migration[]) => migrate(db, migrations, { log, clock })
const versions = async (db: Database) =>
  (await db`select version from schema_migrations order by version`).map((row) => row.version)

test('the migrations of this program are read from any working directory, and make a schema that is ready', async () => {
  const before = process.cwd()
  process.chdir('/')
  const migrations = await readMigrations().finally(() => process.chdir(before))
  const { db } = await database()
  expect((await schemaStatus(db, migrations)).state).toBe('behind')
  await run(db, migrations)
  expect(await schemaStatus(db, migrations)).toMatchObject({
    state: 'ready',
    version: migrations.length,
    required: migrations.length,
  })
})

test('a migration is recorded with its name, checksum and the time of the clock', async () => {
  const { db } = await database()
  const migrations = await steps('create table one (id int)')
  await run(db, migrations)
  const rows = await db`select version, name, checksum, applied_at from schema_migrations`
  expect([...rows]).toEqual([
    { version: 1, name: '0001_step.sql', checksum: migrations[0]?.checksum, applied_at: clock.now() },
  ])
})

test('of two migrators at once one waits, and both succeed', async () => {
  const { db, config } = await database()
  // Whatever a request may wait for, a migrator waits for its turn.
  const other = openDatabase(config, { lockMilliseconds: 50 })
  undo.push(() => other.end())
  const migrations = await steps(
    'create table one (id int); select pg_sleep(0.2)',
    'create table two (id int); select pg_sleep(0.1)',
  )
  await Promise.all([run(db, migrations), run(other, migrations), run(db, migrations)])
  expect(await versions(db)).toEqual([1, 2])
})

test('a migration that the database undoes because of a deadlock is applied again', async () => {
  const { db, config } = await database()
  const other = openDatabase(config, { deadlines: null })
  undo.push(() => other.end())
  await run(db, await steps('create table one (id int); create table two (id int)'))
  // This waits longer than the migration: so it is the migration that is undone.
  const crossing = other.begin(async (tx) => {
    await tx`set local deadlock_timeout = '20s'`
    await tx`lock table two in access exclusive mode`
    await Bun.sleep(300)
    await tx`lock table one in access exclusive mode`
  })
  await Bun.sleep(100)
  const both = await steps(
    'create table one (id int); create table two (id int)',
    'lock table one in access exclusive mode; lock table two in access exclusive mode; create table three (id int)',
  )
  await run(db, both)
  await crossing
  expect(await versions(db)).toEqual([1, 2])
}, 60_000)

test('a second run applies only what is new', async () => {
  const { db } = await database()
  await run(db, await steps('create table one (id int)'))
  await run(db, await steps('create table one (id int)', 'create table two (id int)'))
  await run(db, await steps('create table one (id int)', 'create table two (id int)'))
  expect(await versions(db)).toEqual([1, 2])
})

test('a file that was changed after it was applied is refused by name, and nothing is applied', async () => {
  const { db } = await database()
  await run(db, await steps('create table one (id int)'))
  const changed = await steps('create table one (id bigint)', 'create table two (id int)')
  await expect(run(db, changed)).rejects.toThrow(
    'The migration 0001_step.sql was changed after it was applied',
  )
  expect(await versions(db)).toEqual([1])
})

test('a migration may take longer than the statements, locks and transactions of requests', async () => {
  const { db } = await database()
  await run(
    db,
    await steps(`create table one as select name, setting from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')`),
  )
  expect((await db`select setting from one`).map(({ setting }) => setting)).toEqual(['0', '0', '0'])
})

test('line endings do not change the checksum', async () => {
  const { db } = await database()
  await run(db, await steps('create table one (\n  id int\n)'))
  await run(db, await steps('create table one (\r\n  id int\r\n)'))
  expect(await versions(db)).toEqual([1])
})

test('a failing migration leaves nothing of itself, and the version before', async () => {
  const { db } = await database()
  const first = 'create table one (id int)'
  await expect(run(db, await steps(first, 'create table two (id int); select 1 / 0'))).rejects.toThrow(
    'division',
  )
  expect(await versions(db)).toEqual([1])
  expect([...(await db`select to_regclass('two') as two`)]).toEqual([{ two: null }])
  await run(db, await steps(first, 'create table two (id int)'))
  expect(await versions(db)).toEqual([1, 2])
})

test('losing the connection within a migration throws a sentence that says how to go on', async () => {
  const { db } = await database()
  const first = 'create table one (id int)'
  const broken = await steps(first, 'select pg_terminate_backend(pg_backend_pid())')
  await expect(run(db, broken)).rejects.toThrow(
    'The database cannot be reached at the moment. The migration 0002_step.sql was under way. It is applied as a whole or ' +
      'not at all: run "keyward migrate" again.',
  )
  await run(db, await steps(first, 'create table two (id int)'))
  expect(await versions(db)).toEqual([1, 2])
})

test('a newer schema is left as it is and can be worked with', async () => {
  const { db } = await database()
  const mine = await steps('create table one (id int)')
  await run(db, await steps('create table one (id int)', 'create table two (id int)'))
  await run(db, mine)
  const status = await schemaStatus(db, mine)
  expect(status).toEqual({ state: 'newer', version: 2, required: 1, floor: 0, readOnly: false })
  expect(schemaProblem(status)).toBeNull()
  await waitForSchema(db, mine, { timeoutSeconds: 0, log })
})

test('a program that is older than the floor in the database is refused with a sentence', async () => {
  const { db } = await database()
  const texts = [
    'create table one (id int)',
    '-- floor: 2\ncreate table two (id int)',
    'create table three (id int)',
  ]
  await run(db, await steps(...texts))
  const mine = await steps('create table one (id int)')
  const sentence =
    'The database schema is at version 3 and needs a Keyward that knows version 2. This one knows 1: start a newer one.'
  await expect(run(db, mine)).rejects.toThrow(sentence)
  expect((await schemaStatus(db, mine)).state).toBe('too-new')
  await expect(waitForSchema(db, mine, { timeoutSeconds: 60, log })).rejects.toThrow(sentence)
  await run(db, await steps(...texts.slice(0, 2)))
})

test('a database with a gap in its migrations is refused', async () => {
  const { db } = await database()
  const migrations = await steps('select 1', 'select 2', 'select 3')
  await run(db, migrations)
  await db`delete from schema_migrations where version = 2`
  await expect(run(db, migrations)).rejects.toThrow(
    'The database has the migration 0003_step.sql, but not all of those before it.',
  )
})

test.each(['SQL_ASCII', 'LATIN1'])('a database in %s is refused with a sentence', async (encoding) => {
  const { db, config } = await database({ encoding })
  await expect(run(db, await readMigrations())).rejects.toThrow(
    `The database ${config.database} has the encoding ${encoding}. Keyward needs UTF8: ` +
      "create it with TEMPLATE template0 ENCODING 'UTF8'.",
  )
  expect((await db`select 1 from pg_tables where schemaname = 'public'`).length).toBe(0)
})

test('a server older than PostgreSQL 15 is refused with a sentence', async () => {
  const row = { database: 'keyward', encoding: 'UTF8', number: 140_019, version: '14.19' }
  const old = (async () => [row]) as unknown as Database
  await expect(run(old, [])).rejects.toThrow(
    'The server runs PostgreSQL 14.19. Keyward needs version 15 or newer.',
  )
})

test.each(['0002_first.sql', '1_first.sql', '0001_First.sql', '0001.sql'])(
  'a first migration called %s is refused',
  async (name) => {
    await expect(folder({ [name]: 'select 1' })).rejects.toThrow(
      `The migration ${name} must be called 0001_name.sql, in lower case.`,
    )
  },
)

test.each(['2', '0', 'x', '1.5', ''])('a floor of "%s" in the first migration is refused', async (floor) => {
  await expect(steps(`-- floor: ${floor}\nselect 1`)).rejects.toThrow('The floor of 0001_step.sql must be')
})

test('waiting ends when another process has created and migrated the database', async () => {
  const { db, config } = await database()
  const migrations = await steps('create table one (id int)')
  const name = `${config.database}_late`
  const late = openDatabase({ ...config, database: name })
  undo.push(async () => {
    await late.end()
    await db.unsafe(`drop database ${name} with (force)`)
  })
  let waited = false
  const waiting = waitForSchema(late, migrations, { timeoutSeconds: 20, pollSeconds: 0.02, log }).then(() => {
    waited = true
  })
  await Bun.sleep(100)
  await db.unsafe(`create database ${name} template template0 encoding 'UTF8'`)
  await Bun.sleep(100)
  expect(waited).toBe(false)
  await run(late, migrations)
  await waiting
  expect(lines.filter((line) => line.includes('Waiting for the database')).join()).toContain('does not exist')
})

test('waiting for a database alone ends when it appears, whatever its schema', async () => {
  const { db, config } = await database()
  const late = openDatabase({ ...config, database: `${config.database}_empty` })
  undo.push(async () => {
    await late.end()
    await db.unsafe(`drop database ${config.database}_empty with (force)`)
  })
  await expect(waitForDatabase(late, { timeoutSeconds: 0, log })).rejects.toThrow(
    'Gave up after 0 s. The database is not reachable: ',
  )
  const waiting = waitForDatabase(late, { timeoutSeconds: 20, pollSeconds: 0.02, log })
  await db.unsafe(`create database ${config.database}_empty template template0 encoding 'UTF8'`)
  await waiting
  expect((await schemaStatus(late, [])).version).toBe(0)
})

test('waiting too long ends with a sentence', async () => {
  const { db, config } = await database()
  const migrations = await steps('select 1')
  await expect(waitForSchema(db, migrations, { timeoutSeconds: 0.1, log })).rejects.toThrow(
    'Gave up after 0.1 s. The database schema is at version 0 and must be at 1: run "keyward migrate".',
  )
  const nowhere = openDatabase({ ...config, port: 1 })
  await expect(waitForSchema(nowhere, migrations, { timeoutSeconds: 0.1, log })).rejects.toThrow(
    'Gave up after 0.1 s. The database is not reachable: ',
  )
})

test('waiting ends at once when it is aborted', async () => {
  const { db } = await database()
  const abort = new AbortController()
  const waiting = waitForSchema(db, await steps('select 1'), {
    timeoutSeconds: 60,
    log,
    signal: abort.signal,
  })
  setTimeout(() => abort.abort(), 50)
  await expect(waiting).rejects.toThrow('abort')
})
