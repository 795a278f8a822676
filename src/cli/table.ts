/** A table for people: left-aligned columns under their headings. What could steer a terminal is replaced. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))))
  const text = (line: readonly string[]) =>
    line
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd()
  return lines.map((line) => `${text(line)}\n`).join('')
}

/** A text that somebody else typed, on one line and without what could steer a terminal or turn its text around. */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd')

const widthOf = (text: string): number => [...text].length
