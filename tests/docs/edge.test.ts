import { test } from 'bun:test'
import { join } from 'node:path'
import { DIFFERENCES } from '../edge/differences.ts'
import { expectGenerated } from '../support/generated.ts'
import { withGenerated } from '../support/markdown.ts'
import { page, root } from './pages.ts'

const FILE = 'docs/edge.md'
const NAMES = { bun: 'Bun', deno: 'Deno', workerd: 'Workers' }

test('the table of differences is that of the tests', async () => {
  const rows = DIFFERENCES.map(
    ({ runtimes, what, reason }) =>
      `| ${runtimes.map((name) => NAMES[name]).join(', ')} | ${what} | ${reason} |`,
  )
  const table = ['| Where | What is different from Bun | Why |', '|---|---|---|', ...rows].join('\n')
  await expectGenerated(join(root, FILE), withGenerated(page(FILE), 'differences', table))
})
