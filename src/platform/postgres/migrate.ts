import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Database, Queryable, Transaction } from './database.ts'
import { outageOf, outageSentence } from './outages.ts'
import { schemaProblem, schemaStatus } from './schema-status.ts'

/** One file of `migrations/`: `floor` is the oldest version that programs must know once it is applied. */
export type Migration = Readonly<{
  version: number
  /** The file's name. */
  name: string
  sql: string
  checksum: string
  floor: number | null
}>

/** A database that this program must not touch, or a set of migrations that contradicts it. The message is for people. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/**
 * The migrations that belong to this program, oldest first.
 * Throws `MigrationError` when a file's name or header is not as it must be.
 */
export async function readMigrations(
  folder: URL = new URL('../../../migrations/', import.meta.url),
): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))
  return names.map((name, index) => parseMigration(name, texts[index] ?? '', index + 1))
}

/**
 * Brings the database up to the newest of `migrations`, each file in a transaction together with its record.
 * Several may run at once: they take turns. A schema newer than the program's is left as it is, unless it says that
 * the program is too old for it. Throws `MigrationError` for a database that cannot be used, and an error with a
 * sentence when it is lost within a migration.
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
  options: { log: Log; clock: Clock },
): Promise<void> {
  await refuseUnsuitable(db)
  await locked(db, (tx) => prepare(tx, migrations))
  const status = await schemaStatus(db, migrations)
  if (status.state === 'too-new') throw new MigrationError(schemaProblem(status) ?? '')
  if (status.state === 'newer') {
    options.log.info(
      { version: status.version, known: status.required },
      'The schema is newer than this program',
    )
  }
  for (const migration of migrations) {
    const applying = inSpiteOfDeadlocks(() => locked(db, (tx) => apply(tx, migration, options.clock)))
    if (await applying.catch((error) => rethrow(error, migration))) {
      options.log.info({ migration: migration.name }, 'Migration applied')
    }
  }
}

/** Does work again that the database has undone because the former release, which still runs, waited for it crosswise. */
async function inSpiteOfDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: string }).code !== DEADLOCK_DETECTED || attempt === MOST_ATTEMPTS) throw error
    }
  }
}

/** Throws an outage of the database again as a sentence that says how to go on, and any other error as it is. */
function rethrow(error: unknown, { name }: Migration): never {
  const outage = outageOf(error)
  if (outage === null) throw error
  throw new Error(
    `${outageSentence(outage)} The migration ${name} was under way. It is applied as a whole or not at all: run ` +
      '"keyward migrate" again.',
    { cause: error },
  )
}

const DEADLOCK_DETECTED = '40P01'
const MOST_ATTEMPTS = 5

function parseMigration(name: string, text: string, expected: number): Migration {
  const version = Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1])
  if (version !== expected) {
    const number = String(expected).padStart(4, '0')
    throw new MigrationError(`The migration ${name} must be called ${number}_name.sql, in lower case.`)
  }
  const sql = text.replaceAll('\r\n', '\n')
  const header = /^-- floor:(.*)$/m.exec(sql)?.[1]?.trim()
  const floor = header === undefined ? null : Number(header)
  if (floor !== null && !(Number.isInteger(floor) && floor > 0 && floor <= version)) {
    throw new MigrationError(`The floor of ${name} must be a version from 1 to ${version}.`)
  }
  return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex'), floor }
}

async function refuseUnsuitable(db: Queryable): Promise<void> {
  const [row] = await db<{ database: string; encoding: string; number: number; version: string }[]>`
    select current_database() as database, getdatabaseencoding() as encoding,
      current_setting('server_version_num')::int as number, current_setting('server_version') as version`
  if (row === undefined || row.number < 150_000) {
    throw new MigrationError(`The server runs PostgreSQL ${row?.version}. Keyward needs version 15 or newer.`)
  }
  if (row.encoding !== 'UTF8') {
    throw new MigrationError(
      `The database ${row.database} has the encoding ${row.encoding}. Keyward needs UTF8: ` +
        `create it with TEMPLATE template0 ENCODING 'UTF8'.`,
    )
  }
}

// Any number that nothing else in the same database takes as its lock.
const LOCK = '5423087719064321'

/** One transaction of the one migrator at work. Held by the transaction, so that a lost connection frees it too. */
async function locked<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  // However long a migration takes, and however long it waits for another migrator.
  return await db.beginWithin(Infinity, async (tx) => {
    await tx`
      select set_config(name, '0', true)
      from unnest(array['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) as name`
    await tx`select pg_advisory_xact_lock(${LOCK}::bigint)`
    return work(tx)
  })
}

async function prepare(tx: Transaction, migrations: readonly Migration[]): Promise<void> {
  await tx.unsafe(`
    create table if not exists schema_migrations (
      version int primary key, name text not null, checksum text not null, applied_at timestamptz not null
    );
    create table if not exists schema_floor (
      singleton boolean primary key default true check (singleton), floor int not null
    );
    insert into schema_floor (floor) values (0) on conflict do nothing`)
  const rows = await tx<Applied[]>`select version, name, checksum from schema_migrations order by version`
  refuseContradiction(rows, migrations)
}

type Applied = { version: number; name: string; checksum: string }

function refuseContradiction(applied: readonly Applied[], migrations: readonly Migration[]): void {
  for (const [index, row] of applied.entries()) {
    const known = migrations.find((migration) => migration.version === row.version)
    if (row.version !== index + 1) {
      throw new MigrationError(`The database has the migration ${row.name}, but not all of those before it.`)
    }
    if (known && known.checksum !== row.checksum) {
      throw new MigrationError(
        `The migration ${known.name} was changed after it was applied to this database as ${row.name}. ` +
          'Restore the file; changes belong in a new migration.',
      )
    }
  }
}

/** Whether it was applied now, rather than before. */
async function apply(tx: Transaction, migration: Migration, clock: Clock): Promise<boolean> {
  const { version, name, checksum, floor } = migration
  const [done] = await tx`select 1 from schema_migrations where version = ${version}`
  if (done) return false
  await tx.unsafe(migration.sql)
  await tx`
    insert into schema_migrations (version, name, checksum, applied_at)
    values (${version}, ${name}, ${checksum}, ${clock.now()})`
  if (floor !== null) await tx`update schema_floor set floor = greatest(floor, ${floor})`
  return true
}
