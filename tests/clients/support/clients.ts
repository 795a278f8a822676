import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a client was told: which Keyward, with which token. */
export type Login = { host: string; token: string }

/** What a command printed, and its exit code. */
export type Outcome = { code: number | null; stdout: string; stderr: string }

export type CommandOptions = Partial<Login> & {
  /** What stands on its standard input. */
  input?: string
  /** Instead of `input`: what is typed once it has asked a question, one after the other. */
  answers?: readonly { to: string; text: string }[]
  /** Where its configuration is; a new, empty folder unless given. */
  home?: string
  /** The folder in which it runs; its home unless given. */
  cwd?: string
}

const folders: string[] = []

/** A new, empty folder, deleted by `removeFolders`. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-clients-'))
  folders.push(folder)
  return folder
}

export async function removeFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
}

/** A new file with a text. */
export async function fileOf(text: string, name = '.env'): Promise<string> {
  const path = join(await emptyFolder(), name)
  await writeFile(path, text)
  return path
}

/** Runs the command `phase` of the Python package `phase-cli`. */
export const phase = (args: readonly string[], options: CommandOptions = {}): Promise<Outcome> =>
  runProgram(variable('KEYWARD_TEST_PHASE_CLI'), args, options)

/** Runs a program with nothing in its environment but a home, the path, and what Phase's command line takes. */
export async function runProgram(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<Outcome> {
  const home = options.home ?? (await emptyFolder())
  const child = spawn(program, [...args], {
    cwd: options.cwd ?? home,
    env: clientEnvironment(home, options),
    // A session of its own, without a terminal: questions for a password are answered by the standard input.
    detached: true,
    stdio: 'pipe',
  })
  const texts = { stdout: '', stderr: '' }
  const answers = [...(options.answers ?? [])]
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part: string) => {
      texts[name] += part
      const [next] = answers
      if (next && texts[name].includes(next.to)) child.stdin.write(answers.shift()?.text ?? '')
    })
  }
  // A command that reads nothing may end before the input is written.
  child.stdin.on('error', () => {})
  if (!options.answers) child.stdin.end(options.input ?? '')
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, ...texts }
}

/** The environment of a client: a width that no table of it is folded in, and no keyring of the machine. */
export const clientEnvironment = (home: string, { host, token }: Partial<Login>) => ({
  PATH: process.env.PATH,
  HOME: home,
  LANG: 'C.UTF-8',
  PYTHONUTF8: '1',
  COLUMNS: '400',
  PYTHON_KEYRING_BACKEND: 'keyring.backends.fail.Keyring',
  ...(host !== undefined && { PHASE_HOST: host }),
  ...(token !== undefined && { PHASE_SERVICE_TOKEN: token }),
})

/** A variable that says where a client is. Throws when it isn't set, which the tier says before. */
export function variable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set.`)
  return value
}
