import { spawn } from 'node:child_process'
import { freePort } from './free-port.ts'

const main = new URL('../../src/main.ts', import.meta.url).pathname

/** What a command of Keyward wrote, and how it ended. */
export type Ran = Readonly<{ code: number | null; stdout: string; stderr: string }>

type Options = Readonly<{ env?: Record<string, string>; input?: string }>

/** Runs a command of Keyward to its end, with nothing in its environment but `env` and a port; no terminal. */
export function runKeyward(args: readonly string[], { env = {}, input }: Options = {}): Promise<Ran> {
  const child = spawn(process.execPath, [main, ...args], {
    env: environment(env),
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  child.stdin?.end(input)
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (part: string) => {
      texts[name] += part
    })
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...texts })))
}

/** A command on a terminal of its own: what it shows, and what is typed into it. */
export type OnTerminal = Readonly<{
  shown(): string
  type(text: string): void
  exited: Promise<number>
}>

/** Runs a command of Keyward on a terminal. */
export function runOnTerminal(args: readonly string[], { env = {} }: Options = {}): OnTerminal {
  let shown = ''
  const decoder = new TextDecoder()
  const child = Bun.spawn([process.execPath, main, ...args], {
    env: environment(env),
    terminal: {
      cols: 500,
      rows: 50,
      data(_, part) {
        shown += decoder.decode(part, { stream: true })
      },
    },
  })
  return {
    shown: () => shown.replaceAll('\r\n', '\n'),
    type: (text) => void child.terminal?.write(text),
    exited: child.exited,
  }
}

function environment(env: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, PORT: String(freePort()), ...env }
}
