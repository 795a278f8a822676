import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withGenerated } from '../support/markdown.ts'
import { CHART } from './helm.ts'
import { valueRows, valuesTable } from './values-table.ts'

// UPDATE_GOLDEN=1 writes the table anew; what changed is then to be read in the diff.
test('values.md lists every value with its default and a sentence, as values.yaml has them', () => {
  const file = join(CHART, 'values.md')
  const table = valuesTable(valueRows(readFileSync(join(CHART, 'values.yaml'), 'utf8')))
  const right = withGenerated(readFileSync(file, 'utf8'), 'values', table)
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, right)
  expect(readFileSync(file, 'utf8')).toBe(right)
})

test('a value without a sentence is noticed, unless a map that has one holds it', () => {
  expect(() => valueRows('a: 1\n')).toThrow('a has no sentence.')
  expect(() => valueRows('a:\n  # -- One.\n  b: 1\n  c: 2\n')).toThrow('a.c has no sentence.')
  const rows = valueRows('# -- All.\na:\n  b: {c: 1}\n# -- Text|bar.\nd: "x|y"\n')
  expect(rows).toEqual([
    { path: 'a', default: '{"b":{"c":1}}', meaning: 'All.' },
    { path: 'd', default: '"x|y"', meaning: 'Text|bar.' },
  ])
  expect(valuesTable(rows)).toEndWith('| `d` | `"x\\|y"` | Text\\|bar. |')
})
