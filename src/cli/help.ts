import { type Command, type Group, SWITCHES } from './command.ts'

/** What `keyward <group> --help` prints. */
export function groupHelp(group: Group): string {
  const lines = group.commands.map((one) => [heading(one), one.summary] as const)
  return `keyward ${group.name} <command>\n\n${group.summary}\n\n${columns(lines)}
"keyward ${group.name} <command> --help" shows the options of each.\n`
}

/** What `keyward <group> <command> --help` prints. */
export function commandHelp(group: Group, command: Command): string {
  const lines = command.switches.map((name) => [`--${name}`, SWITCHES[name]] as const)
  return `keyward ${group.name} ${heading(command)}\n\n${command.summary}\n${lines.length > 0 ? `\n${columns(lines)}` : ''}`
}

const heading = ({ name, usage }: Command): string => (usage === '' ? name : `${name} ${usage}`)

function columns(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([left]) => left.length))
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('')
}
