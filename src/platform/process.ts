import { writeSync } from 'node:fs'

/** What was started, in the order in which it is stopped: the last first. */
const started: (() => Promise<unknown>)[] = []
let stopping = false

/** Has `stop` called before the process ends. Throws when it is ending already: a signal cancels the start. */
export function onStop(stop: () => Promise<unknown>): void {
  if (stopping) throw new Error('Keyward is stopping.')
  started.unshift(stop)
}

/** Whether the process is ending. */
export const isStopping = (): boolean => stopping

/** Stops what was started, one after the other, and ends the process. The second call does nothing. */
export async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  for (const part of started) await part().catch(printError)
  process.exit(code)
}

/** Stops on SIGTERM and SIGINT with this exit code, and with 1 after an error that nobody caught. */
export function stopOnSignals(code: number): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(code))
  // Bun would exit at once, and leave the embedded PostgreSQL running.
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, stopAfter)
}

/** Prints an error's sentence on standard error. */
export function printError(error: unknown): void {
  printLine(error instanceof Error ? error.message : String(error))
}

function stopAfter(error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error)
  printLine(`Keyward stops after an unexpected error:\n${words}`)
  void stop(1)
}

/** Bun's `process.stderr` would try for ever, and do nothing else, where the disk of a file is full. */
function printLine(text: string): void {
  try {
    writeSync(2, `${text}\n`)
  } catch {
    // There is nowhere else to say it.
  }
}
