import { readdir, readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'

/** A file of the built console, and the same compressed with brotli where that was worth it. */
export type BuiltFile = Readonly<{
  type: string
  content: Uint8Array<ArrayBuffer>
  brotli: Uint8Array<ArrayBuffer> | null
  isHashed: boolean
}>

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json',
}

export type Build = ReadonlyMap<string, BuiltFile>

/** The built console, read again once it has been built anew: its files by their path on the server. Empty without a build. */
export function buildIn(folder: URL): () => Promise<Build> {
  let builtAt: number | null = null
  let build: Promise<Build> = Promise.resolve(new Map())
  return async () => {
    const page = await stat(new URL('index.html', folder)).catch(() => null)
    if (page === null) return new Map()
    if (page.mtimeMs !== builtAt) {
      builtAt = page.mtimeMs
      build = readBuild(folder)
    }
    return build
  }
}

async function readBuild(folder: URL): Promise<Build> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const present = new Set(names)
  const files = names.filter((name) => TYPES[extname(name)] !== undefined)
  return new Map(
    await Promise.all(
      files.map(async (name): Promise<[string, BuiltFile]> => {
        const type = TYPES[extname(name)] as string
        const compressed = `${name}.br`
        const content = await readFile(new URL(name, folder))
        const brotli = present.has(compressed) ? await readFile(new URL(compressed, folder)) : null
        return [`/${name}`, { type, content, brotli, isHashed: name.startsWith('assets/') }]
      }),
    ),
  )
}
