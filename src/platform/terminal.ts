import { fstatSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** Where a command talks to the person or program that ran it. */
export type Terminal = Readonly<{
  /** Writes to standard output; resolves when it is written. */
  print(text: string): Promise<void>
  /** Writes to standard error. */
  warn(text: string): void
  /** Whether somebody can be asked. */
  canAsk: boolean
  /** Asks on standard error and reads a line; null at the end of the input. */
  ask(question: string): Promise<string | null>
  /** Whether a person sees standard output. */
  isSeen: boolean
  /** Whether standard output is known to be kept: it is the log of a container or the journal of systemd. */
  isLogged: boolean
}>

/** The streams of this process; `journal` is JOURNAL_STREAM, with which systemd names the file that its journal reads. */
export const processTerminal = (journal: string | null): Terminal => ({
  print: (text) =>
    new Promise((resolve, reject) =>
      process.stdout.write(text, (error) => (error ? reject(error) : resolve())),
    ),
  warn: (text) => void process.stderr.write(text),
  canAsk: process.stdin.isTTY === true,
  ask: readLine,
  isSeen: process.stdout.isTTY === true,
  isLogged: isLogged(journal),
})

function readLine(question: string): Promise<string | null> {
  process.stderr.write(question)
  const lines = createInterface({ input: process.stdin, terminal: false })
  return new Promise((resolve) => {
    lines.once('line', resolve)
    lines.once('close', () => resolve(null))
  }).finally(() => lines.close()) as Promise<string | null>
}

/** What a container's first process prints is the container's log. */
function isLogged(journal: string | null): boolean {
  if (process.stdout.isTTY) return false
  if (process.pid === 1) return true
  if (journal === null) return false
  const { dev, ino } = fstatSync(1)
  return journal === `${dev}:${ino}`
}
