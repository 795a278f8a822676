import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { attempt, output } from './command.ts'
import { imageValues } from './images.ts'
import { chart } from './release.ts'

/** The README's commands, to be run in a folder and a namespace of the tests'. */
export type Readme = {
  /** Runs a block of commands under one of the section's headings, and returns what it prints. */
  run(heading: string, index?: number, replace?: Record<string, string>): Promise<string>
  /** Starts a block that runs until `stop`. */
  start(heading: string, index: number, replace?: Record<string, string>): { stop(): void }
  /** The commands under a heading of the first level, as one text. */
  section(heading: string): string
  /** The headings and numbers of the blocks of the section that were not run. */
  notRun(): string[]
  writeFile(name: string, text: string): Promise<void>
  remove(): Promise<void>
}

/** Reads the section On a cluster; its namespace `keyward` becomes the given one. */
export async function openReadme(namespace: string): Promise<Readme> {
  const text = await readFile(new URL('../../../README.md', import.meta.url), 'utf8')
  const folder = await mkdtemp(join(tmpdir(), 'keyward-readme-'))
  await prepareFolder(folder)
  const ran = new Set<string>()
  const blocks = blocksByHeading(part(text, '## ', 'On a cluster'))
  const take = (heading: string, index: number, replace: Record<string, string> = {}): string => {
    const block = blocks.get(heading)?.[index]
    if (block === undefined) throw new Error(`README.md has no commands ${index} under ${heading}.`)
    ran.add(`${heading} ${index}`)
    return substitute(block, namespace, replace)
  }
  const environment = { cwd: folder, env: { PATH: `${folder}:${process.env.PATH}` } }
  return {
    run: (heading, index = 0, replace) =>
      output(['bash', '-euo', 'pipefail', '-c', take(heading, index, replace)], {
        ...environment,
        seconds: 330,
      }),
    start: (heading, index, replace) => {
      const command = `exec ${take(heading, index, replace)}`
      const child = spawn('bash', ['-c', command], {
        ...environment,
        env: { ...process.env, ...environment.env },
        stdio: 'ignore',
      })
      return { stop: () => void child.kill() }
    },
    section: (heading) => shellBlocks(part(text, '## ', heading)).join('\n'),
    notRun: () =>
      [...blocks].flatMap(([heading, { length }]) =>
        Array.from({ length }, (_, index) => `${heading} ${index}`).filter((name) => !ran.has(name)),
      ),
    writeFile: (name, content) => writeFile(join(folder, name), content),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The chart where the README has it, and a Helm that takes the tests' images with it. */
async function prepareFolder(folder: string): Promise<void> {
  const { stdout } = await attempt(['sh', '-c', 'command -v helm'])
  await symlink(chart, join(folder, 'chart'))
  await writeFile(join(folder, 'images.json'), JSON.stringify(imageValues('test')))
  const lines = [
    '#!/bin/sh',
    `case " $* " in *" ./chart "*) set -- "$@" -f "${folder}/images.json" ;; esac`,
    `exec "${stdout.trim()}" "$@"`,
  ]
  await writeFile(join(folder, 'helm'), `${lines.join('\n')}\n`, { mode: 0o755 })
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
  return new Map(parts.map((it) => [it.slice(0, it.indexOf('\n')), shellBlocks(it)]))
}

const shellBlocks = (text: string): string[] =>
  [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands ?? '')
