import { type ParseArgsConfig, parseArgs } from 'node:util'

/** What `keyward --help` prints. */
export const USAGE = `keyward [command]

  serve      everything in one process; with no DATABASE_URL it brings its own database (the default)
  backend    the API, on an external database
  worker     the jobs: mail, clean-up
  frontend   the console's files
  migrate    brings the database's schema up to date, then exits
             --wait  changes nothing: waits until the schema is there
             --timeout <seconds>  how long to wait for the database, or with --wait for its schema (300)
             --via <url>  with --wait: asks a backend's /service/ready/ instead of the database
  health     asks Keyward on its own port, or at the given URL, whether it is alive; exits with 0 or 1
             --timeout <seconds>  asks again for so long; without it, once
  users      accounts, for operators: list, reset, allow-link, make-owner ("keyward users --help")
  jobs       jobs that have failed for good: list, retry, drop ("keyward jobs --help")

Settings are variables of the environment, such as PORT (8080) and KEYWARD_DATA, the directory of serve's own database:
docs/configuration.md has them all.
`

/** What may follow a command: for `migrate` wait, timeout and via; for `health` timeout, and the address to ask. */
export type Options = Readonly<{ wait?: boolean; timeout?: string; via?: string; url: string | null }>

const text = { type: 'string' } as const
const OPTIONS: Readonly<Record<string, ParseArgsConfig['options']>> = {
  migrate: { wait: { type: 'boolean' }, timeout: text, via: text },
  health: { timeout: text },
}

/** The options of a command, values as they were given; null for an unknown option or a missing value. */
export function readOptions(command: string, args: readonly string[]): Options | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: OPTIONS[command] ?? {},
      allowPositionals: command === 'health',
    })
    return { ...values, url: positionals[0] ?? null }
  } catch {
    return null
  }
}
