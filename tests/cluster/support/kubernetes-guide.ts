import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codeBlocks, section } from '../../support/markdown.ts'
import { type Answer, attempt, output } from './command.ts'
import { chart, merge, type Values } from './release.ts'

/** The commands of docs/kubernetes.md, to be run in a folder and a namespace of the tests'. */
export type Guide = {
  /** Runs a block of commands under one of the guide's headings, and returns what it prints. */
  run(heading: string, index?: number, replace?: Record<string, string>): Promise<string>
  /** Runs a block as a shell runs what is pasted into it, and tells how it ended. */
  paste(heading: string, index?: number, replace?: Record<string, string>): Promise<Answer>
  /** Starts a block that runs until `stop`. */
  start(heading: string, index: number, replace?: Record<string, string>): { stop(): void }
  /** The commands of the quick start in the README, as one text. */
  quickStart: string
  /** The values that a block of YAML states. */
  values(heading: string, index: number, replace?: Record<string, string>): Values
  /** Writes the file of values that the commands take: all of these, the last ones over those before. */
  writeValues(...values: Values[]): Promise<void>
  /** The headings and numbers of the blocks that were not used. */
  notUsed(): string[]
  writeFile(name: string, text: string): Promise<void>
  remove(): Promise<void>
}

/** Reads the guide and the quick start; the namespace `keyward` becomes the given one. */
export async function openGuide(namespace: string): Promise<Guide> {
  const [guide, readme] = await Promise.all(
    ['docs/kubernetes.md', 'README.md'].map((file) =>
      readFile(new URL(`../../../${file}`, import.meta.url), 'utf8'),
    ),
  )
  const folder = await mkdtemp(join(tmpdir(), 'keyward-guide-'))
  await symlink(chart, join(folder, 'chart'))
  const used = new Set<string>()
  const blocks = blocksByHeading(guide ?? '')
  const take = (heading: string, index: number, replace: Record<string, string> = {}): string => {
    const block = blocks.get(heading)?.[index]
    if (block === undefined) throw new Error(`docs/kubernetes.md has no block ${index} under ${heading}.`)
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
    quickStart: codeBlocks(section(readme ?? '', 'Quick start'), 'sh').join('\n'),
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
    if (!text.includes(from)) throw new Error(`docs/kubernetes.md does not say ${from} here any more.`)
    text = text.replaceAll(from, to)
  }
  return text
}

/** The commands and values under each heading of a guide, in their order; headings without any are left out. */
export function blocksByHeading(guide: string): Map<string, string[]> {
  const parts = guide.split(/^## /m).slice(1)
  const blocks = parts.map((it) => [it.slice(0, it.indexOf('\n')), codeBlocks(it, 'sh', 'yaml')] as const)
  return new Map(blocks.filter(([, { length }]) => length > 0))
}
