import { readdir, readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { blobOf } from '../platform/http/blobs.ts'

/**
 * A file of the built console, and the same compressed with brotli where that was worth it. A blob is not copied for each
 * response, of which clients may leave any number unread.
 */
export type BuiltFile = Readonly<{ type: string; content: Blob | ReadableStream; brotli: Blob | null }>

/** Finds a file of the built console by its path on the server; null where there is none. */
export type FindFile = (path: string) => Promise<BuiltFile | null>

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.map': 'application/json',
}

/** The type of a file by its name; null where the console has no such files. */
export const contentType = (path: string): string | null => TYPES[extname(path)] ?? null

type Build = ReadonlyMap<string, BuiltFile>

/** The console as `build.ts` builds it, from the sources and from the image's bundle alike. */
export const builtFiles = (): FindFile => filesIn(new URL('./dist/', import.meta.url))

/** The files of a folder, which are read again once the console has been built anew. */
export function filesIn(folder: URL): FindFile {
  let builtAt: number | null = null
  let build: Promise<Build> = Promise.resolve(new Map())
  return async (path) => {
    const page = await stat(new URL('index.html', folder)).catch(() => null)
    if (page === null) return null
    if (page.mtimeMs !== builtAt) {
      builtAt = page.mtimeMs
      build = readBuild(folder)
    }
    return (await build).get(path) ?? null
  }
}

async function readBuild(folder: URL): Promise<Build> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const present = new Set(names)
  const read = async (name: string) => blobOf(await readFile(new URL(name, folder)))
  const entries = names.map(async (name): Promise<[string, BuiltFile] | null> => {
    const type = contentType(name)
    if (type === null) return null
    const compressed = `${name}.br`
    const content = await read(name)
    const brotli = present.has(compressed) ? await read(compressed) : null
    return [`/${name}`, { type, content, brotli }]
  })
  return new Map((await Promise.all(entries)).filter((entry) => entry !== null))
}
