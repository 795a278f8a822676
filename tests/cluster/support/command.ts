import { spawn } from 'node:child_process'

export type CommandOptions = {
  input?: string
  env?: Record<string, string | undefined>
  cwd?: string
  /** After this many seconds the command is ended, and counts as failed. */
  seconds?: number
}

export type Answer = { code: number; stdout: string; stderr: string }

/** Runs a program and waits for its end, whatever its exit code; load and checks go on meanwhile. */
export function attempt(command: readonly string[], options: CommandOptions = {}): Promise<Answer> {
  const { input, env, cwd, seconds = 120 } = options
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    timeout: seconds * 1000,
    killSignal: 'SIGKILL',
  })
  const answer: Answer = { code: -1, stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      answer[name] += text
    })
  }
  child.stdin.on('error', () => {}).end(input ?? '')
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (signal !== null) answer.stderr += `\nEnded by ${signal} (at most ${seconds} s).`
      resolve({ ...answer, code: code ?? -1 })
    })
  })
}

/** What a program prints; throws with what it said when it fails. */
export async function output(command: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await attempt(command, options)
  if (code !== 0) {
    throw new Error(`${command.join(' ')} ended with ${code}:\n${stderr.trim()}\n${stdout.slice(-2000)}`)
  }
  return stdout
}
