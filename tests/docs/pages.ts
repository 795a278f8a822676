import { readFileSync } from 'node:fs'

export const root = new URL('../../', import.meta.url).pathname

const folders = ['', 'chart/**/', 'docs/**/', 'migrations/', 'patches/', 'src/**/', 'tests/**/']
const files = folders.flatMap((folder) => [...new Bun.Glob(`${folder}*.md`).scanSync(root)])

/** Every Markdown file of the repository, by its path. */
export const pages: ReadonlyMap<string, string> = new Map(
  files.sort().map((file) => [file, readFileSync(`${root}${file}`, 'utf8')]),
)

/** One page; throws when there is none. */
export function page(file: string): string {
  const text = pages.get(file)
  if (text === undefined) throw new Error(`${file} is not in the repository.`)
  return text
}
