import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A Bun process of a test's own, in a process group of its own, and the first line of JSON that it printed. */
export type TestProcess = { child: ChildProcess; line: Record<string, unknown>; exited: Promise<void> }

/** Starts a script and waits for its first line. It is told to end by the end of its standard input. */
export async function startProcess(
  script: URL,
  args: string[],
  environment = process.env,
): Promise<TestProcess> {
  // `bun test` hands this on: with it, whatever the process starts would be killed together with it.
  const { BUN_FEATURE_FLAG_NO_ORPHANS: _, ...env } = environment
  const child = spawn(process.execPath, [script.pathname, ...args], {
    env,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  for await (const line of createInterface(child.stdout)) {
    return { child, line: JSON.parse(line), exited }
  }
  throw new Error(`${script.pathname} ended without a word.`)
}
