import { expect, test } from 'bun:test'
import { recording, templatesIn, templatesOf } from './sql-templates.ts'

test('tagged templates are found, with those in their values, and nothing else is', () => {
  const source = [
    'const a = db`one #{id} two`',
    '// db`in a comment`',
    '/* tx`in another` */',
    'const b = `no tag`, c = "db`in a text`", d = /[/`]+/',
    'const e = tx<Row[]>`outer #{f({ g: db`inner` })} \\\\ end`',
  ]
    .join('\n')
    .replaceAll('#', '$')
  expect(templatesOf(source)).toEqual([
    { text: 'one ? two', line: 1 },
    { text: 'inner', line: 5 },
    { text: 'outer ? \\ end', line: 5 },
  ])
  expect(() => templatesOf('db`without an end')).toThrow()
})

test('what a recorded pool is called with is what stands in the source', async () => {
  const seen: string[] = []
  const tag = (strings: TemplateStringsArray, ..._values: unknown[]) => strings.length
  const pool = Object.assign(tag, { begin: (work: (tx: typeof tag) => number) => work(tag) })
  const db = recording(pool, (text) => seen.push(text))
  expect(db`select ${1}`).toBe(2)
  expect(db.begin((tx) => tx`like 'a\\_b' ${2} ${3}`)).toBe(3)
  expect(seen).toEqual(['select ?', "like 'a\\_b' ? ?"])
  const here = (await templatesIn('tests/support/sql-templates.test.ts')).map(({ text }) => text)
  expect(here).toEqual(expect.arrayContaining(seen))
})
