/** A link as it is written: its target, with the line that it is on. */
export type Link = { target: string; line: number }

/** What stands under a heading, down to the next one of its level or above. Throws when there is no such heading. */
export function section(text: string, heading: string, level = 2): string {
  const lines = text.split('\n')
  // A comment in a block of code looks like a heading.
  const outside = withoutCode(text).split('\n')
  const start = outside.indexOf(`${'#'.repeat(level)} ${heading}`)
  if (start === -1) throw new Error(`There is no heading "${'#'.repeat(level)} ${heading}".`)
  const next = outside.findIndex((line, index) => index > start && new RegExp(`^#{1,${level}} `).test(line))
  return lines.slice(start, next === -1 ? undefined : next).join('\n')
}

/** The blocks of code in one of these languages, in their order. */
export const codeBlocks = (text: string, ...languages: string[]): string[] =>
  [...text.matchAll(/^ *```(\w+)\n(.*?)^ *```$/gms)].flatMap(([, language = '', code = '']) =>
    languages.includes(language) ? [code] : [],
  )

/** The anchors of all headings, as forges make them. */
export function anchors(text: string): string[] {
  const seen = new Map<string, number>()
  return [...withoutCode(text).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(anchor) ?? 0
    seen.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

/** The targets of all links and images, but for those in code. */
export const links = (text: string): Link[] =>
  withoutCode(text)
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(/\]\(([^()\s]+)(?: "[^"]*")?\)/g)].map(([, target = '']) => ({
        target,
        line: index + 1,
      })),
    )

/** The rows between `<!-- name: … -->` and `<!-- /name -->` replaced; throws when the marks are not there. */
export function withGenerated(text: string, name: string, rows: string): string {
  const marks = new RegExp(`(<!-- ${name}: .* -->\\n)[\\s\\S]*?(<!-- /${name} -->)`)
  if (!marks.test(text)) throw new Error(`There are no marks <!-- ${name}: … --> and <!-- /${name} -->.`)
  return text.replace(marks, (_, start: string, end: string) => `${start}${rows}\n${end}`)
}

/** Code blanked out, so that lines keep their numbers. */
const withoutCode = (text: string): string =>
  text
    .replace(/^ *```[\s\S]*?^ *```$/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''))
