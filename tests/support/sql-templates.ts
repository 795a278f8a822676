import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')

/** A tagged template in the source: the text between its values, and where it stands. */
export type Template = Readonly<{ text: string; place: string }>

/** What stands for each value of a template. */
const VALUE = '?'

/** Every tagged template of the files that match: statements, and the parts of which they are made. */
export async function templatesIn(pattern: string): Promise<Template[]> {
  const found: Template[] = []
  for await (const path of new Bun.Glob(pattern).scan(ROOT)) {
    const templates = scan(path, await Bun.file(join(ROOT, path)).text())
    found.push(...templates.map(({ text, line }) => ({ text, place: `${path}:${line}` })))
  }
  return found
}

/** The tagged templates of a source, each with its line. */
export const templatesOf = (source: string): { text: string; line: number }[] => new Scanner(source).scan()

function scan(path: string, source: string) {
  try {
    return templatesOf(source)
  } catch (error) {
    throw new Error(`${path} can't be read: ${(error as Error).message}`)
  }
}

/** The text of a template as `templatesIn` gives it, from what its tag is called with. */
export const textOf = (strings: readonly string[]): string => strings.join(VALUE)

/**
 * A pool or a transaction that tells of each template with which it is called. What it gives to the work of its
 * transactions does as well.
 */
export function recording<Db extends object>(db: Db, record: (text: string) => void): Db {
  const wrap = (work: unknown) =>
    typeof work === 'function' ? (tx: object) => work(recording(tx, record)) : work
  return new Proxy(db, {
    apply: (target, self, args) => {
      if (Array.isArray(args[0]?.raw)) record(textOf(args[0] as unknown as string[]))
      return Reflect.apply(target as () => unknown, self, args)
    },
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' && ['begin', 'beginWithin', 'savepoint'].includes(String(name))
        ? (...args: unknown[]) => value(...args.map(wrap))
        : value
    },
  })
}

/** Finds the tagged templates of TypeScript: enough of its syntax to tell them from comments, texts and other templates. */
class Scanner {
  readonly #source: string
  #at = 0
  readonly #found: { text: string; line: number }[] = []

  constructor(source: string) {
    this.#source = source
  }

  scan() {
    this.#code('')
    return this.#found
  }

  /** Reads code until an unmatched `}`, or the end where `until` is empty. */
  #code(until: string): void {
    for (let depth = 0; this.#at < this.#source.length; ) {
      const rest = this.#source.slice(this.#at, this.#at + 2)
      const [character = ''] = rest
      if (rest === '//') this.#at = this.#after('\n')
      else if (rest === '/*') this.#at = this.#after('*/')
      else if (character === "'" || character === '"') this.#string(character)
      else if (character === '`') this.#template()
      else if (
        character === '/' &&
        /[(=,:[!&|?{};]\s*$/.test(this.#source.slice(Math.max(0, this.#at - 20), this.#at))
      )
        this.#regularExpression()
      else {
        if (character === until && depth === 0) return
        if (character === '{') depth++
        if (character === '}') depth--
        this.#at++
      }
    }
    if (until !== '') throw new Error('a template does not end')
  }

  #next(): string {
    const character = this.#source[this.#at]
    if (character === undefined) throw new Error('it ends within a text')
    return character
  }

  #after(text: string): number {
    const end = this.#source.indexOf(text, this.#at + 2)
    return end === -1 ? this.#source.length : end + text.length
  }

  #string(quote: string): void {
    for (this.#at++; this.#next() !== quote; this.#at++) if (this.#next() === '\\') this.#at++
    this.#at++
  }

  #regularExpression(): void {
    let isClass = false
    for (this.#at++; isClass || this.#next() !== '/'; this.#at++) {
      if (this.#next() === '\\') this.#at++
      else if (this.#next() === '[') isClass = true
      else if (this.#next() === ']') isClass = false
    }
    this.#at++
  }

  #template(): void {
    const isTagged = /[\w>)]/.test(this.#source[this.#at - 1] ?? '')
    const line = this.#source.slice(0, this.#at).split('\n').length
    let text = ''
    for (this.#at++; this.#next() !== '`'; ) {
      if (this.#source.startsWith('${', this.#at)) {
        this.#at += 2
        this.#code('}')
        this.#at++
        text += VALUE
      } else {
        // As the tag gets it: what an escape stands for. Only characters that stand for themselves are escaped in SQL.
        if (this.#next() === '\\') this.#at++
        text += this.#next()
        this.#at++
      }
    }
    this.#at++
    if (isTagged) this.#found.push({ text, line })
  }
}
