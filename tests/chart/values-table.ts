import { YAML } from 'bun'

export type Row = { path: string; default: string; meaning: string }

/**
 * The documented values of a values.yaml, in its order: a sentence after `# --` belongs to the key below it. Throws
 * where a value has no sentence, itself or by a map that holds it.
 */
export function valueRows(text: string): Row[] {
  const values = YAML.parse(text)
  const rows: Row[] = []
  const stack: { indent: number; key: string; documented: boolean }[] = []
  let sentence: string | null = null
  for (const line of text.split('\n')) {
    const comment = /^\s*# -- (.+)$/.exec(line)?.[1]
    if (comment !== undefined) sentence = comment
    const [, space, key, rest] = /^(\s*)([A-Za-z_]+):(.*)$/.exec(line) ?? []
    if (space === undefined || key === undefined) continue
    while ((stack.at(-1)?.indent ?? -1) >= space.length) stack.pop()
    const path = [...stack.map((entry) => entry.key), key]
    const inherited = stack.some((entry) => entry.documented)
    if (sentence !== null) {
      rows.push({ path: path.join('.'), default: JSON.stringify(at(values, path)), meaning: sentence })
    } else if (!inherited && rest?.trim()) throw new Error(`${path.join('.')} has no sentence.`)
    stack.push({ indent: space.length, key, documented: inherited || sentence !== null })
    sentence = null
  }
  return rows
}

/** The same as a table of Markdown. */
export function valuesTable(rows: readonly Row[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const lines = rows.map((row) => `| \`${row.path}\` | \`${cell(row.default)}\` | ${cell(row.meaning)} |`)
  return ['| Value | Default | Meaning |', '|---|---|---|', ...lines].join('\n')
}

function at(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], values)
}
