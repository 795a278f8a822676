import type { Context } from '../context.ts'
import * as jobs from '../core/operators/dead-letters.ts'
import { type DeadLetter, type DeadLetters, openDeadLetters } from '../platform/queue/dead-letters.ts'
import type { Terminal } from '../platform/terminal.ts'
import { type Command, Declined, type Group, type Input } from './command.ts'
import { confirm } from './confirm.ts'
import { table } from './table.ts'

const list: Command = {
  name: 'list',
  usage: '',
  summary: 'Lists the jobs that have failed for good, oldest first.',
  switches: ['json'],
  faultOf: ({ arguments: [extra] }) =>
    extra === undefined ? null : `jobs list takes no argument: ${extra}.`,
  run: (ctx, terminal, { switches }) =>
    withDeadLetters(ctx, async (deadLetters) => {
      const found = await deadLetters.list()
      if (switches.has('json')) return terminal.print(`${JSON.stringify({ data: found })}\n`)
      if (found.length === 0) return terminal.print('No job has failed for good.\n')
      await terminal.print(table(['ID', 'JOB', 'FAILED', 'RUNS', 'ERROR'], found.map(row)))
    }),
}

const row = ({ id, job, failedAt, runs, fault }: DeadLetter): string[] => [
  id,
  job ?? '-',
  failedAt.toISOString().replace(/\.\d+/, ''),
  runs === null ? '-' : String(runs),
  fault,
]

const retry: Command = {
  name: 'retry',
  usage: '<id>… | --all',
  summary: 'Enqueues failed jobs again. A mail whose link has expired meanwhile is not sent.',
  switches: ['all', 'json'],
  faultOf: idsFault,
  run: (ctx, terminal, input) =>
    withDeadLetters(ctx, async (deadLetters) => {
      const chosen = await jobs.chooseJobs(deadLetters, wanted(input))
      const count = await jobs.retryJobs(ctx, deadLetters, chosen)
      await report(terminal, input, count, 'enqueued again')
    }),
}

const drop: Command = {
  name: 'drop',
  usage: '<id>… | --all',
  summary: 'Deletes failed jobs.',
  switches: ['all', 'yes', 'json'],
  faultOf: idsFault,
  run: (ctx, terminal, input) =>
    withDeadLetters(ctx, async (deadLetters) => {
      const chosen = await jobs.chooseJobs(deadLetters, wanted(input))
      const question = `Delete ${chosen.length === 1 ? '1 failed job' : `${chosen.length} failed jobs`}?`
      if (chosen.length > 0 && !(await confirm(terminal, input, question))) throw new Declined()
      await report(terminal, input, await jobs.dropJobs(ctx, deadLetters, chosen), 'deleted')
    }),
}

async function report(terminal: Terminal, { switches }: Input, count: number, done: string): Promise<void> {
  const text = `${count === 1 ? '1 job was' : `${count} jobs were`} ${done}.`
  await terminal.print(`${switches.has('json') ? JSON.stringify({ count }) : text}\n`)
}

function idsFault({ arguments: ids, switches }: Input): string | null {
  if (switches.has('all')) return ids.length === 0 ? null : 'Give the ids of jobs or --all, not both.'
  return ids.length > 0
    ? null
    : 'The id of a failed job is missing: "keyward jobs list" shows them. Or give --all.'
}

const wanted = ({ arguments: ids, switches }: Input) => (switches.has('all') ? 'all' : ids)

async function withDeadLetters(
  ctx: Context,
  work: (deadLetters: DeadLetters) => Promise<void>,
): Promise<void> {
  const deadLetters = await openDeadLetters(ctx)
  await work(deadLetters).finally(() => deadLetters.close())
}

/** The commands about jobs. */
export const JOBS: Group = {
  name: 'jobs',
  summary: 'Jobs that have failed for good, such as mails that the gateway never took.',
  commands: [list, retry, drop],
}
