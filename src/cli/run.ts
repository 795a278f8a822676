import { embeddedDataDirectory, journalStream, readConfig, withSecrets } from '../config.ts'
import { type Context, createContext } from '../context.ts'
import { DomainError } from '../core/errors.ts'
import { borrowDataDirectory } from '../platform/postgres/borrowed.ts'
import { readMigrations } from '../platform/postgres/migrate.ts'
import { outageOf, outageSentence } from '../platform/postgres/outages.ts'
import { schemaProblem, schemaStatus } from '../platform/postgres/schema-status.ts'
import { isStopping, onStop, printError, stop } from '../platform/process.ts'
import type { Runtime } from '../platform/runtime.ts'
import { processTerminal, type Terminal } from '../platform/terminal.ts'
import { type Command, Declined, type Group, type Input, UsageError } from './command.ts'
import { JOBS } from './jobs.ts'
import { parse } from './parse.ts'
import { USERS } from './users.ts'

/** The groups of commands for operators, by their first word. */
export const GROUPS: Readonly<Record<'users' | 'jobs', Group>> = { users: USERS, jobs: JOBS }

/** Runs a command of operators and ends the process: with 0 when it is done, 1 when it can't be, 2 for a wrong use. */
export async function runCommand(
  name: keyof typeof GROUPS,
  args: readonly string[],
  runtime: Runtime,
): Promise<void> {
  const terminal = processTerminal(journalStream())
  const parsed = parse(GROUPS[name], args)
  if (parsed.kind === 'help') {
    await terminal.print(parsed.text)
    return stop(0)
  }
  if (parsed.kind === 'fault') {
    terminal.warn(parsed.text)
    return stop(2)
  }
  await stop(await exitCodeOf(() => openContext(name, runtime), terminal, parsed.command, parsed.input))
}

async function exitCodeOf(
  open: () => Promise<Context>,
  terminal: Terminal,
  command: Command,
  input: Input,
): Promise<number> {
  try {
    await command.run(await open(), terminal, input)
    return 0
  } catch (error) {
    if (error instanceof Declined || isStopping()) return 1
    const outage = error instanceof DomainError ? null : outageOf(error)
    printError(outage === null ? error : new Error(outageSentence(outage)))
    return error instanceof UsageError ? 2 : 1
  }
}

/** The context of the service that has the same configuration. Throws a sentence where its database can't be used. */
async function openContext(name: keyof typeof GROUPS, runtime: Runtime): Promise<Context> {
  const path = embeddedDataDirectory()
  const { config, database } = path === null ? external(name) : await embedded(name, path, runtime)
  const migrations = await readMigrations()
  const ctx = createContext(config, database, migrations.at(-1)?.version ?? 0, runtime)
  onStop(() => ctx.close())
  const problem = schemaProblem(await schemaStatus(ctx.db, migrations))
  if (problem !== null) throw new Error(problem)
  if (config.smtp !== null) await ctx.queue.start()
  return ctx
}

function external(name: keyof typeof GROUPS) {
  const config = quiet(readConfig(name))
  if (config.database === null) throw new Error('DATABASE_URL is not set.')
  return { config, database: config.database }
}

async function embedded(name: keyof typeof GROUPS, path: string, runtime: Runtime) {
  const borrowing = borrowDataDirectory(path, runtime.createLog('error'))
  // Registered before it is there: a server that is being started would survive this process.
  onStop(() => borrowing.then((borrowed) => borrowed.release(), ignoreError))
  const borrowed = await borrowing
  return { config: quiet(readConfig(name, withSecrets(borrowed.secrets))), database: borrowed.config }
}

/** What goes well is not for the eyes of the person who runs a command. */
const quiet = <C extends { logLevel: string }>(config: C): C => ({
  ...config,
  logLevel: LOUD.has(config.logLevel) ? 'warn' : config.logLevel,
})

const LOUD = new Set(['trace', 'debug', 'info'])

// The error is reported where the promise is awaited.
const ignoreError = () => {}
