import { type CommandOptions, type Login, type Outcome, phase } from './clients.ts'

/** What `phase secrets get` prints. */
export type Shown = {
  key: string
  value: string
  overridden: boolean | null
  tags: string[]
  comment: string | null
  path: string
  application: string
  environment: string
}

/** Phase's command line with one token, for one app and environment. */
export type CommandLine = {
  /** Its output; fails with it where the exit code isn't 0. */
  succeeds(words: readonly string[], options?: CommandOptions): Promise<string>
  /** What it says, on one line; fails where the exit code is 0. */
  fails(words: readonly string[], options?: CommandOptions): Promise<string>
  create(key: string, value: string, path?: string): Promise<string>
  get(key: string, path?: string): Promise<Shown>
  /** All secrets of a path, or of all paths, references resolved. */
  exported(path?: string): Promise<Record<string, string>>
  /** The same command line for another environment, or app. */
  in(environment: string, app?: string): CommandLine
}

export function commandLine(login: Login, app: string, environment = 'Development'): CommandLine {
  const context = ['--app', app, '--env', environment]
  const run = (words: readonly string[], options: CommandOptions = {}) => {
    // After the command that `run` is to start, everything belongs to that.
    const [first = '', ...rest] = words
    const args = first === 'run' ? [first, ...context, ...rest] : [...words, ...context]
    return phase(args, { ...login, ...options })
  }
  const line: CommandLine = {
    succeeds: async (words, options) => {
      const outcome = await run(words, options)
      if (outcome.code !== 0) throw new Error(`phase ${words.join(' ')}: ${said(outcome)}`)
      return outcome.stdout
    },
    fails: async (words, options) => {
      const outcome = await run(words, options)
      if (outcome.code === 0) throw new Error(`phase ${words.join(' ')} did not fail: ${said(outcome)}`)
      return said(outcome)
    },
    create: (key, value, path = '/') =>
      line.succeeds(['secrets', 'create', key, '--path', path], { input: value }),
    get: async (key, path = '/') => JSON.parse(await line.succeeds(['secrets', 'get', key, '--path', path])),
    exported: async (path = '') =>
      JSON.parse(await line.succeeds(['secrets', 'export', '--format', 'json', '--path', path])),
    in: (other, otherApp = app) => commandLine(login, otherApp, other),
  }
  return line
}

/** Everything that a command printed, on one line. */
export const said = ({ stdout, stderr }: Outcome): string => `${stdout} ${stderr}`.replace(/\s+/g, ' ').trim()
