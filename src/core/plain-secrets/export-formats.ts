import { badRequest } from '../errors.ts'
import { yieldWhenDue } from '../yielding.ts'
import { dotenvEntry, fitsDotenv } from './dotenv.ts'
import { writeJsonFile } from './json-file.ts'
import type { KeyValue } from './key-values.ts'

/** The formats of an exported file. */
export const EXPORT_FORMATS = ['dotenv', 'json', 'yaml', 'kubernetes'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** A file and its media type. */
export type ExportedFile = Readonly<{ text: string; contentType: string }>

/**
 * A file with keys and values, in their order; `name` is that of the Secret of Kubernetes. 400 where the format has no way
 * to write a key or value, or two entries have the same key: nothing is left out in silence. `requireWaiting` throws where
 * nobody waits for it any more.
 */
export async function exportFile(
  format: ExportFormat,
  entries: readonly KeyValue[],
  name: string,
  requireWaiting = () => {},
): Promise<ExportedFile> {
  if (new Set(entries.map(({ key }) => key)).size < entries.length) {
    throw badRequest('Several paths have the same key. Choose one of them with path.')
  }
  const { contentType, canHold, write } = FORMATS[format]
  const unwritable = entries.filter((entry) => !canHold(entry)).length
  if (unwritable > 0) {
    const secrets = unwritable === 1 ? '1 secret has' : `${unwritable} secrets have`
    throw badRequest(`${secrets} a key or value that this format can't hold. Choose the format json or yaml.`)
  }
  const parts: string[] = []
  const pause = yieldWhenDue()
  for (const part of write(entries, name)) {
    parts.push(part)
    await pause()
    requireWaiting()
  }
  return { text: parts.join(''), contentType }
}

/**
 * The name of a Secret of Kubernetes for an environment, from the names of its app and its own: letters, digits and hyphens.
 * Where these can't hold the names, or there is no room, the end of the environment's id tells it from others.
 */
export function kubernetesName(app: string, environment: string, environmentId: string): string {
  const names = `${app}-${environment}`.toLowerCase()
  const written = names
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '')
    .join('-')
  const isWhole = /^[a-z0-9\s._-]+$/.test(names) && written !== '' && written.length <= MOST_CHARACTERS
  if (isWhole) return written
  const end = `-${environmentId.slice(-8)}`
  return (written.slice(0, MOST_CHARACTERS - end.length).replace(/-$/, '') || 'secrets') + end
}

/** Of the name of a Secret: it is a subdomain. */
const MOST_CHARACTERS = 253

type Format = Readonly<{
  contentType: string
  canHold: (entry: KeyValue) => boolean
  /** Gives the file in parts: some values take long to write. */
  write: (entries: readonly KeyValue[], name: string) => Iterable<string>
}>

const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  dotenv: {
    contentType: 'text/plain; charset=utf-8',
    canHold: fitsDotenv,
    *write(entries) {
      for (const entry of entries) yield dotenvEntry(entry)
    },
  },
  json: { contentType: 'application/json', canHold: () => true, write: writeJsonFile },
  yaml: {
    contentType: 'application/yaml',
    canHold: () => true,
    *write(entries) {
      if (entries.length === 0) yield '{}\n'
      for (const entry of entries) yield yamlEntry(entry)
    },
  },
  kubernetes: {
    contentType: 'application/yaml',
    canHold: ({ key }) => /^[-._a-zA-Z0-9]{1,253}$/.test(key) && key !== '.' && !key.startsWith('..'),
    *write(entries, name) {
      yield 'apiVersion: v1\nkind: Secret\nmetadata:\n'
      yield `  name: ${yamlText(name)}\ntype: Opaque\ndata:${entries.length === 0 ? ' {}' : ''}\n`
      for (const { key, value } of entries)
        yield `  ${yamlEntry({ key, value: Buffer.from(value).toString('base64') })}`
    },
  },
}

/** A key and its value. Readers look for the colon behind a key in so many characters only: longer ones need a `?`. */
function yamlEntry({ key, value }: KeyValue): string {
  const name = yamlText(key)
  return `${name.length > 1024 ? `? ${name}\n` : name}: ${yamlText(value)}\n`
}

/** A text as JSON writes it, which YAML reads, with everything escaped that YAML doesn't allow as it is. */
const yamlText = (text: string): string => JSON.stringify(text).replace(UNWRITTEN, escaped)

const UNWRITTEN = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Made once: a value may have tens of thousands of these characters. */
const ESCAPES = new Map<string, string>()

function escaped(character: string): string {
  const known = ESCAPES.get(character)
  if (known !== undefined) return known
  const made = `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  ESCAPES.set(character, made)
  return made
}
