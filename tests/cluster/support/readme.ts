import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Answer, attempt, output } from './command.ts'
import { chart, merge, type Values } from './release.ts'

/** The README's commands, to be run in a folder and a namespace of the tests'. */
export type Readme = {
  /** Runs a block of commands under one of the section's headings, and returns what it prints. */
  run(heading: string, index?: number, replace?: Record<string, string>): Promise<string>
  /** Runs a block as a shell runs what is pasted into it, and tells how it ended. */
  paste(heading: string, index?: number, replace?: Record<string, string>): Promise<Answer>
  /** Starts a block that runs until `stop`. */
  start(heading: string, index: number, replace?: Record<string, string>): { stop(): void }
  /** The commands under a heading of the first level, as one text. */
  section(heading: string): string
  /** The values that a block of YAML states. */
  values(heading: string, index: number, replace?: Record<string, string>): Values
  /** Writes the file of values that the commands take: all of these, the last ones over those before. */
  writeValues(...values: Values[]): Promise<void>
  /** The headings and numbers of the blocks of the section that were not used. */
  notUsed(): string[]
  writeFile(name: string, text: string): Promise<void>
  remove(): Promise<void>
}

/** Reads the section On a cluster; its namespace `keyward` becomes the given one. */
export async function openReadme(namespace: string): Promise<Readme> {
  const text = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'keyward-readme-'))
  await symlink(chart, join(folder, 'chart'))
  const used = new Set<string>()
  const blocks = blocksByHeading(part(text, '## ', 'On a cluster'))
  const take = (heading: string, index: number, replace: Record<string, string> = {}): string => {
    const block = blocks.get(heading)?.[index]
    if (block === undefined) throw new Error(`README.md has no block ${index} under ${heading}.`)
    used.add(`${heading} ${index}`)
    return substitute(block, namespace, replace)
  }
  const options = { cwd: folder, seconds: 330 }
  const write = (name: string, content: string) => writeFile(join(folder, name), content)
  return {
    run: (heading, index = 0, replace) =>
      output(['bash', '-euo', 'pipefail', '-c', take(heading, index, replace)], options),
    paste: (heading, index = 0, replace) => attempt(['bash', '-c', take(heading, index, replace)], options),
    start: (heading, index, replace) => {
      const command = `exec ${take(heading, index, replace)}`
      const child = spawn('bash', ['-c', command], { cwd: folder, stdio: 'ignore' })
      return { stop: () => void child.kill() }
    },
    section: (heading) => codeBlocks(part(text, '## ', heading), 'sh').join('\n'),
    values: (heading, index, replace) => Bun.YAML.parse(take(heading, index, replace)) as Values,
    writeValues: (...values) => write('keyward-values.yaml', JSON.stringify(values.reduce(merge))),
    notUsed: () =>
      [...blocks].flatMap(([heading, { length }]) =>
        Array.from({ length }, (_, index) => `${heading} ${index}`).filter((name) => !used.has(name)),
      ),
    writeFile: write,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

function substitute(block: string, namespace: string, replace: Record<string, string>): string {
  let text = block.replaceAll(/(-n|create namespace) keyward\b/g, `$1 ${namespace}`)
  for (const [from, to] of Object.entries(replace)) {
    if (!text.includes(from)) throw new Error(`README.md does not say ${from} here any more.`)
    text = text.replaceAll(from, to)
  }
  return text
}

/** What stands under a heading, down to the next one of its level. */
function part(text: string, level: string, heading: string): string {
  const found = text
    .split(new RegExp(`^(?=${level})`, 'm'))
    .find((it) => it.startsWith(`${level}${heading}\n`))
  if (found === undefined) throw new Error(`README.md has no section ${heading}.`)
  return found
}

function blocksByHeading(section: string): Map<string, string[]> {
  const parts = section.split(/^### /m).slice(1)
  return new Map(parts.map((it) => [it.slice(0, it.indexOf('\n')), codeBlocks(it, 'sh|yaml')]))
}

const codeBlocks = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`(?:${language})\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, code]) => code ?? '',
  )
