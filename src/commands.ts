import { createApp } from './backend/app.ts'
import { GROUPS, runCommand } from './cli/run.ts'
import { suggestion } from './cli/suggestion.ts'
import { type Options, readOptions, USAGE } from './config/arguments.ts'
import { banner } from './config/banner.ts'
import {
  type Command,
  type Config,
  ConfigError,
  embeddedDataDirectory,
  readConfig,
  withSecrets,
} from './config.ts'
import { type Context, createContext } from './context.ts'
import { hasOrganisation, requireServerSecret } from './core/deployment.ts'
import { warnOfForeignPasskeys } from './core/passkeys/host.ts'
import { builtFiles } from './frontend/files.ts'
import { besideBackend, createFrontend } from './frontend/server.ts'
import { systemClock } from './platform/clock.ts'
import { healthProblem, waitForSchemaVia } from './platform/http/health-check.ts'
import { type Handler, listen, type Peers } from './platform/http/server.ts'
import { createMetrics } from './platform/metrics.ts'
import { openDataDirectory } from './platform/postgres/data-directory.ts'
import { type DatabaseConfig, openDatabase } from './platform/postgres/database.ts'
import { startEmbeddedPostgres } from './platform/postgres/embedded.ts'
import { migrate, readMigrations } from './platform/postgres/migrate.ts'
import { waitForDatabase, waitForSchema, waitUntil } from './platform/postgres/schema-status.ts'
import { isStopping, onStop, printError, stop, stopOnSignals } from './platform/process.ts'
import type { Runtime } from './platform/runtime.ts'
import { listenForMetrics, metricsText, startTelemetry } from './telemetry.ts'
import { workerHealth } from './worker/health.ts'
import { schedule } from './worker/schedule.ts'
import { startWorker } from './worker/worker.ts'

/** How long requests and jobs under way may take to finish. */
const GRACE_SECONDS = 20
const WAIT_SECONDS = 300

type Plain = Exclude<Command, keyof typeof GROUPS>

const COMMANDS: Readonly<Record<Plain, (options: Options, runtime: Runtime) => Promise<void>>> = {
  serve,
  backend: async (_, runtime) => {
    const config = readConfig('backend')
    await startTelemetry(config, 'keyward-backend', runtime)
    const ctx = await createReadyContext(config, runtime)
    await warnOfForeignPasskeys(ctx)
    const url = serveUntilStop(config, runtime, (peers) => createApp(ctx, peers.addressOf, runtime.adapter))
    listenForMetrics(config, runtime, metricsText(ctx))
    ctx.log.info({ url }, 'The backend is listening')
  },
  worker: async (_, runtime) => {
    const config = readConfig('worker')
    await startTelemetry(config, 'keyward-worker', runtime)
    const ctx = await createReadyContext(config, runtime)
    const worker = await startWorker(ctx, schedule(ctx), { graceSeconds: GRACE_SECONDS })
    onStop(() => worker.stop())
    serveUntilStop(config, runtime, () => ({ fetch: workerHealth(ctx) }))
    listenForMetrics(config, runtime, metricsText(ctx))
  },
  frontend: async (_, runtime) => {
    const config = readConfig('frontend')
    const metrics = createMetrics()
    const log = runtime.createLog(config.logLevel)
    await startTelemetry(config, 'keyward-frontend', runtime)
    const url = serveUntilStop(config, runtime, () => ({
      fetch: createFrontend(config, log, builtFiles(), metrics),
    }))
    listenForMetrics(config, runtime, async () => metrics.text())
    log.info({ url }, 'The frontend is listening')
  },
  migrate: (options, runtime) =>
    options.wait ? waitForMigration(options, runtime) : runMigration(options, runtime),
  health: async (options, runtime) => {
    const config = readConfig('health')
    const check = () => healthProblem(options.url, config)
    if (options.timeout === undefined) {
      const problem = await check()
      if (problem !== null) throw new Error(problem)
    } else await waitUntil('Keyward', check, waitOptions(options, config, runtime))
    await stop(0)
  },
}

const WORDS = [...Object.keys(COMMANDS), ...Object.keys(GROUPS)]

/** Runs the command that the arguments name, by default `serve`, until the process ends. */
export async function runProgram(
  [word = 'serve', ...args]: readonly string[],
  runtime: Runtime,
): Promise<void> {
  const isGroup = Object.hasOwn(GROUPS, word)
  if (!isGroup && !Object.hasOwn(COMMANDS, word)) {
    const isHelp = /^(help|--help|-h)$/.test(word)
    if (isHelp) process.stdout.write(USAGE)
    else process.stderr.write(`Unknown command: ${word}.${suggestion(word, WORDS)}\n\n${USAGE}`)
    process.exit(isHelp ? 0 : 2)
  }
  const options = isGroup ? null : readOptions(word, args)
  if (!isGroup && options === null) {
    process.stderr.write(`Unknown option of ${word}: ${args.join(' ')}.\n\n${USAGE}`)
    process.exit(2)
  }
  // A command that is interrupted has not done what it was asked for.
  stopOnSignals(isGroup ? 1 : 0)
  try {
    if (options === null) await runCommand(word as keyof typeof GROUPS, args, runtime)
    else await COMMANDS[word as keyof typeof COMMANDS](options, runtime)
  } catch (error) {
    if (isStopping()) return
    if (error instanceof ConfigError) process.stderr.write('Keyward cannot start:\n')
    printError(error)
    await stop(1)
  }
}

/** Everything in one process, on one port: the backend's paths, and the frontend's files for all others. */
async function serve(_: Options, runtime: Runtime): Promise<void> {
  const { config, database } = await openServeDatabase(runtime)
  const log = runtime.createLog(config.logLevel)
  const db = openDatabase(database, { max: 1 })
  await migrate(db, await readMigrations(), { log, clock: systemClock }).finally(() => db.end({ timeout: 5 }))
  await startTelemetry(config, 'keyward', runtime)
  const ctx = await createReadyContext(config, runtime, database)
  await warnOfForeignPasskeys(ctx)
  const worker = await startWorker(ctx, schedule(ctx), { graceSeconds: GRACE_SECONDS })
  onStop(() => worker.stop())
  const hasOwner = await hasOrganisation(ctx.db)
  serveUntilStop(config, runtime, (peers) =>
    besideBackend(
      createApp(ctx, peers.addressOf, runtime.adapter),
      createFrontend(config, log, builtFiles()),
    ),
  )
  listenForMetrics(config, runtime, metricsText(ctx))
  process.stdout.write(banner(config, hasOwner))
}

async function openServeDatabase(runtime: Runtime): Promise<{ config: Config; database: DatabaseConfig }> {
  const path = embeddedDataDirectory()
  if (path === null) {
    const config = readConfig('serve')
    return { config, database: databaseOf(config) }
  }
  const directory = await openDataDirectory(path)
  onStop(() => directory.release())
  const config = readConfig('serve', withSecrets(directory.secrets))
  const log = runtime.createLog(config.logLevel)
  const starting = startEmbeddedPostgres({
    directory: path,
    password: directory.secrets.DATABASE_PASSWORD,
    log,
  })
  // Registered before the start completes: the server runs in its own session and would survive an interrupted start.
  onStop(() => starting.then((postgres) => postgres.stop(), ignoreError))
  const postgres = await starting
  postgres.exited.then(() => {
    if (!isStopping())
      log.error('The embedded PostgreSQL stopped unexpectedly; its log is in the data directory')
    return stop(1)
  })
  return { config, database: postgres.config }
}

/** The context of a component, once the database has its schema and the keys can be decrypted. */
async function createReadyContext(
  config: Config,
  runtime: Runtime,
  database = databaseOf(config),
): Promise<Context> {
  const migrations = await readMigrations()
  const ctx = createContext(config, database, migrations.at(-1)?.version ?? 0, runtime)
  onStop(() => ctx.close())
  await waitForSchema(ctx.db, migrations, { timeoutSeconds: WAIT_SECONDS, log: ctx.log })
  await requireServerSecret(ctx.db, ctx.keys)
  await ctx.queue.start()
  return ctx
}

async function runMigration(options: Options, runtime: Runtime): Promise<void> {
  const waiting = waitOptions(options, readConfig('migrate'), runtime)
  const db = openDatabase(databaseOf(waiting.config), { max: 1 })
  onStop(() => db.end({ timeout: 5 }))
  // The database may still be starting, or its user be created.
  await waitForDatabase(db, waiting)
  await migrate(db, await readMigrations(), { log: waiting.log, clock: systemClock })
  await stop(0)
}

async function waitForMigration(options: Options, runtime: Runtime): Promise<void> {
  const { via } = options
  if (via !== undefined && !/^https?:$/.test(URL.parse(via)?.protocol ?? '')) {
    throw new Error('--via must be followed by the address of /service/ready/ of a backend.')
  }
  // With --via no database is needed.
  const waiting = waitOptions(options, readConfig(via === undefined ? 'migrate' : 'health'), runtime)
  const migrations = await readMigrations()
  if (via !== undefined) await waitForSchemaVia(via, migrations.at(-1)?.version ?? 0, waiting)
  else {
    const db = openDatabase(databaseOf(waiting.config), { max: 1 })
    onStop(() => db.end({ timeout: 5 }))
    await waitForSchema(db, migrations, waiting)
  }
  await stop(0)
}

function waitOptions({ timeout }: Options, config: Config, runtime: Runtime) {
  const timeoutSeconds = Number(timeout ?? WAIT_SECONDS)
  if (!(timeoutSeconds >= 0)) throw new Error('--timeout must be followed by a number of seconds.')
  return { config, timeoutSeconds, log: runtime.createLog(config.logLevel) }
}

/** Serves until the process stops; gives the address where it listens. */
function serveUntilStop(
  { port, bindAddress: address }: Config,
  runtime: Runtime,
  handler: (peers: Peers) => Handler,
): string {
  const server = listen(runtime.serve, { port, address }, handler)
  onStop(() => server.stop(GRACE_SECONDS))
  return server.url
}

function databaseOf(config: Config): DatabaseConfig {
  if (config.database === null) throw new Error('DATABASE_URL is not set.')
  return config.database
}

// The error is reported where the promise is awaited.
const ignoreError = () => {}
