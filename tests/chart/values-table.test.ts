import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectGenerated } from '../support/generated.ts'
import { withGenerated } from '../support/markdown.ts'
import { CHART } from './helm.ts'
import { valueRows, valuesTable } from './values-table.ts'

test('values.md lists every value with its default and a sentence, as values.yaml has them', async () => {
  const file = join(CHART, 'values.md')
  const table = valuesTable(valueRows(readFileSync(join(CHART, 'values.yaml'), 'utf8')))
  await expectGenerated(file, withGenerated(readFileSync(file, 'utf8'), 'values', table))
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
