import { parseArgs } from 'node:util'
import { type Command, type Group, type Input, SWITCHES, type Switch } from './command.ts'
import { commandHelp, groupHelp } from './help.ts'
import { suggestion } from './suggestion.ts'

/** What a command line asks for: a command, help, or nothing that can be understood. */
export type Parsed =
  | Readonly<{ kind: 'run'; command: Command; input: Input }>
  | Readonly<{ kind: 'help'; text: string }>
  | Readonly<{ kind: 'fault'; text: string }>

/** Reads what follows a group's name on the command line. */
export function parse(group: Group, args: readonly string[]): Parsed {
  const [name, ...rest] = args
  if (name === undefined) return { kind: 'fault', text: groupHelp(group) }
  if (isHelp(name) || name === 'help') return { kind: 'help', text: groupHelp(group) }
  const command = group.commands.find((one) => one.name === name)
  if (command === undefined) {
    const names = group.commands.map((one) => one.name)
    const fault = `Unknown command: keyward ${group.name} ${name}.${suggestion(name, names)}`
    return { kind: 'fault', text: `${fault}\n\n${groupHelp(group)}` }
  }
  return parseCommand(group, command, rest)
}

function parseCommand(group: Group, command: Command, args: readonly string[]): Parsed {
  const { tokens } = parseArgs({ args: [...args], strict: false, tokens: true, options: BOOLEANS })
  const switches = new Set<Switch>()
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    if (isHelp(token.rawName)) return { kind: 'help', text: commandHelp(group, command) }
    const found = command.switches.find((one) => `--${one}` === token.rawName)
    const known = command.switches.map((one) => `--${one}`)
    if (found === undefined) {
      const fault = `Unknown option: ${token.rawName}.${suggestion(token.rawName, known)}`
      return { kind: 'fault', text: `${fault}\n\n${commandHelp(group, command)}` }
    }
    if (token.value !== undefined) {
      const fault = `${token.rawName} takes no value: write it alone.`
      return { kind: 'fault', text: `${fault}\n\n${commandHelp(group, command)}` }
    }
    switches.add(found)
  }
  const input: Input = { arguments: words, switches }
  const fault = command.faultOf(input)
  if (fault !== null) return { kind: 'fault', text: `${fault}\n\n${commandHelp(group, command)}` }
  return { kind: 'run', command, input }
}

const BOOLEANS = Object.fromEntries(Object.keys(SWITCHES).map((name) => [name, { type: 'boolean' } as const]))

const isHelp = (word: string): boolean => word === '--help' || word === '-h'
