/** One table of the benchmark. The first cell of a row names what was measured. */
export type Section = Readonly<{
  title: string
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}>

const sections: Section[] = []
let isJson = false

/** From now on nothing is printed before the end, which prints JSON. */
export function reportAsJson(): void {
  isJson = true
}

/** Adds a table to the report, and prints it unless the report is JSON. */
export function addSection(section: Section): void {
  sections.push(section)
  if (!isJson) process.stdout.write(`\n${markdown(section)}`)
}

/** Ends the report: prints all of it where it is JSON. `about` says when and where it was measured. */
export function endReport(about: Readonly<Record<string, string>>): void {
  if (!isJson) return
  const measured = sections.map((section) => ({ ...section, rows: section.rows.map(cellsOf) }))
  process.stdout.write(`${JSON.stringify({ ...about, sections: measured }, null, 2)}\n`)
}

/** A row with its figures as numbers. */
const cellsOf = ([name, ...figures]: readonly string[]) => [
  name,
  ...figures.map((figure) => Number(figure.replace(/,| ×/g, ''))),
]

/** A table of Markdown, whose columns are aligned. */
export function markdown({ title, columns, rows }: Section): string {
  const lines = [columns, ...rows]
  const widths = columns.map((_, at) => Math.max(3, ...lines.map((cells) => (cells[at] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, at) => (at === 0 ? (cells[at] ?? '').padEnd(width) : (cells[at] ?? '').padStart(width))).join(' | ')} |`
  const rule = `|${widths.map((width, at) => (at === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return `### ${title}\n\n${[line(columns), rule, ...rows.map(line)].join('\n')}\n`
}
