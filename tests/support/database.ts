import { createHash, randomBytes } from 'node:crypto'
import { systemClock } from '../../src/platform/clock.ts'
import { createLog } from '../../src/platform/log.ts'
import { type Database, type DatabaseConfig, openDatabase } from '../../src/platform/postgres/database.ts'
import { migrate, readMigrations } from '../../src/platform/postgres/migrate.ts'
import { startTestServer } from './server.ts'

/**
 * A database of one test's own. `aside` is a connection that no test counts, fills or breaks: the support's own checks
 * ask over it. `drop` closes both and deletes the database, whoever else is connected.
 */
export type TestDatabase = { db: Database; aside: Database; config: DatabaseConfig; drop(): Promise<void> }

/** A fresh, migrated database: a copy of the template that the first caller makes. */
export async function testDatabase(): Promise<TestDatabase> {
  const server = await serverConfig()
  const template = await templateDatabase(server)
  return await createDatabase(server, `TEMPLATE ${template}`)
}

/** A fresh database without a schema, in UTF8 unless another encoding is asked for. */
export async function emptyDatabase(options: { encoding?: string } = {}): Promise<TestDatabase> {
  const encoding = options.encoding ?? 'UTF8'
  const locale = encoding === 'UTF8' ? 'C.UTF-8' : 'C'
  const like = `TEMPLATE template0 ENCODING '${encoding}' LOCALE '${locale}'`
  return await createDatabase(await serverConfig(), like)
}

/** A fresh database to which a test applies migrations up to one, and later the rest: an earlier release wrote meanwhile. */
export async function databaseToMigrate() {
  const database = await emptyDatabase()
  const migrations = await readMigrations()
  const apply = (upTo = migrations.length) =>
    migrate(database.db, migrations.slice(0, upTo), { log: createLog('silent'), clock: systemClock })
  /** Stores an organisation, without what belongs to it. */
  const addOrganisation = (id: string) =>
    database.db.begin(async (tx) => {
      await tx`set local session_replication_role = replica`
      await tx`insert into organisations values (${id}, 'Organisation', now(), now())`
    })
  return { database, apply, addOrganisation }
}

let server: Promise<DatabaseConfig> | undefined
let template: Promise<string> | undefined

function serverConfig(): Promise<DatabaseConfig> {
  server ??= findServer()
  return server
}

async function findServer(): Promise<DatabaseConfig> {
  // Kept in the environment: with `--isolate` each test file has modules of its own, but one process.
  process.env.KEYWARD_TEST_DATABASE_URL ||= (await startTestServer()).url
  const url = new URL(process.env.KEYWARD_TEST_DATABASE_URL)
  return {
    host: url.hostname,
    port: Number(url.port || 5432),
    database: url.pathname.slice(1) || 'postgres',
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    ssl: 'disable',
    sslCa: null,
  }
}

/** Longer than in use: a machine that is busy with other tests is no database in trouble. */
const DEADLINES = { statementMilliseconds: 20_000, transactionMilliseconds: 25_000 }

async function createDatabase(server: DatabaseConfig, like: string): Promise<TestDatabase> {
  const database = `keyward_test_${randomBytes(8).toString('hex')}`
  await withAdmin(server, (admin) => admin.unsafe(`CREATE DATABASE ${database} ${like}`))
  const config = { ...server, database }
  const db = openDatabase(config, { deadlines: DEADLINES })
  const aside = openDatabase(config, { max: 1, deadlines: null })
  return {
    db,
    aside,
    config,
    drop: async () => {
      await Promise.all([db.end({ timeout: 1 }), aside.end({ timeout: 1 })])
      await withAdmin(server, (admin) => admin.unsafe(`DROP DATABASE ${database} WITH (FORCE)`))
    },
  }
}

function templateDatabase(server: DatabaseConfig): Promise<string> {
  template ??= makeTemplate(server)
  return template
}

async function makeTemplate(server: DatabaseConfig): Promise<string> {
  const migrations = await readMigrations()
  const hash = createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 12)
  const name = `keyward_template_${hash}`
  await withAdmin(server, async (admin) => {
    await admin`SELECT pg_advisory_lock(hashtext('keyward test template'))`
    const [made] = await admin`SELECT 1 FROM pg_database WHERE datname = ${name}`
    if (made) return
    // Renamed when complete, so that an interrupted run never leaves half a template under the name.
    const draft = `${name}_draft`
    await admin.unsafe(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`)
    await admin.unsafe(`CREATE DATABASE ${draft} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'`)
    await withAdmin({ ...server, database: draft }, (db) =>
      migrate(db, migrations, { log: createLog('silent'), clock: systemClock }),
    )
    await admin.unsafe(`ALTER DATABASE ${draft} RENAME TO ${name}`)
    await admin.unsafe(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  })
  return name
}

async function withAdmin<T>(config: DatabaseConfig, use: (db: Database) => Promise<T>): Promise<T> {
  const db = openDatabase(config, { max: 1, lockMilliseconds: 0, deadlines: null })
  try {
    return await use(db)
  } finally {
    await db.end({ timeout: 1 })
  }
}
