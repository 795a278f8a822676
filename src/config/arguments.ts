import { type ParseArgsConfig, parseArgs } from 'node:util'

/** What `keyward --help` prints. */
export const USAGE = `keyward [role]

  serve      everything in one process; with no DATABASE_URL it brings its own database (the default)
  backend    the API, on an external database
  worker     the jobs that run by themselves
  frontend   the console's files
  migrate    brings the database's schema up to date, then ends
             --wait  changes nothing: waits until the schema is there
             --timeout <seconds>  how long to wait for the database, or with --wait for its schema (300)
             --via <url>  waits for that of a backend, by its /service/ready/, with no database of its own
  health     whether Keyward lives, on its own port or at a URL that follows, by the exit code
             --timeout <seconds>  asks again for so long; without it, once
`

/** What may follow a role: for `migrate` wait, timeout and via; for `health` timeout, and the address to ask. */
export type Options = Readonly<{ wait?: boolean; timeout?: string; via?: string; url: string | null }>

const text = { type: 'string' } as const
const OPTIONS: Readonly<Record<string, ParseArgsConfig['options']>> = {
  migrate: { wait: { type: 'boolean' }, timeout: text, via: text },
  health: { timeout: text },
}

/** The options of a role, values as they were given; null when it does not know one, or a value is missing. */
export function readOptions(role: string, args: readonly string[]): Options | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: OPTIONS[role] ?? {},
      allowPositionals: role === 'health',
    })
    return { ...values, url: positionals[0] ?? null }
  } catch {
    return null
  }
}
