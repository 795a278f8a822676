import type { Context } from '../context.ts'
import type { Terminal } from '../platform/terminal.ts'

/** An option of a command: a switch, without a value. */
export type Switch = 'all' | 'json' | 'yes' | 'remove-second-factor'

/** What a command was given. */
export type Input = Readonly<{ arguments: readonly string[]; switches: ReadonlySet<Switch> }>

/** A command of operators, such as `keyward users list`. */
export type Command = Readonly<{
  /** Its last word. */
  name: string
  /** What follows the name, as help shows it, such as `<email>`; empty for nothing. */
  usage: string
  /** What it does, in a line. */
  summary: string
  switches: readonly Switch[]
  /** Why these arguments can't be used and what would be right; null when they can. */
  faultOf(input: Input): string | null
  /** Throws a sentence when it can't be done. */
  run(ctx: Context, terminal: Terminal, input: Input): Promise<void>
}>

/** Commands with the same first word. */
export type Group = Readonly<{ name: string; summary: string; commands: readonly Command[] }>

/** The command was used in a wrong way: the process ends with 2. */
export class UsageError extends Error {}

/** The person who was asked said no: the process ends with 1, and nothing more is said. */
export class Declined extends Error {}

/** What each switch means, for help. */
export const SWITCHES: Readonly<Record<Switch, string>> = {
  all: 'all of them, instead of single ones',
  json: 'prints JSON, for programs',
  yes: 'does not ask',
  'remove-second-factor': 'the link also removes passkeys, authenticator app and recovery codes',
}
