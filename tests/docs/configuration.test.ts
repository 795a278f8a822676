import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIGURATION } from '../../src/config.ts'
import { expectGenerated } from '../support/generated.ts'
import { withGenerated } from '../support/markdown.ts'
import { page, root } from './pages.ts'

const FILE = 'docs/configuration.md'

test('the table of variables is that of the program, row by row', async () => {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rows = CONFIGURATION.map(({ name, secret, default: value, meaning }) => {
    const names = secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``
    return `| ${names} | ${value === null ? '' : `\`${value}\``} | ${cell(meaning)} |`
  })
  const table = ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
  await expectGenerated(join(root, FILE), withGenerated(page(FILE), 'variables', table))
})

test('nothing but src/config.ts reads the environment, so no variable is missing in the table', () => {
  const readers = [...new Bun.Glob('src/**/*.ts').scanSync(root)].filter((file) =>
    /(?<!')\b(?:process|Bun)\??\.env\b(?!\.PATH\b|\.\w+ = )|\bimport\.meta\.env\b/.test(
      readFileSync(join(root, file), 'utf8'),
    ),
  )
  expect(readers).toEqual(['src/config.ts'])
})
