import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { SSO_PRESETS } from '../../src/config/sso-presets.ts'
import { CONFIGURATION } from '../../src/config.ts'
import { codeBlocks, section } from '../support/markdown.ts'
import { page, pages, root } from './pages.ts'

const all = [...pages].filter(([file]) => file !== 'chart/values.md').map(([, text]) => text)
const named = (pattern: RegExp) =>
  all.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name ?? ''))

test('every script that the pages name exists, and every script is named', () => {
  const scripts = named(/\bbun(?:@[\d.]+)? (?:run )?([a-z]+)\b(?!\/)/g)
  expect([...new Set(scripts)].sort()).toEqual(Object.keys(packageJson.scripts).sort())
})

test('every command names the version of Bun whose types are checked', () => {
  const versions = named(/\bbun@([\d.]+)/g)
  expect(new Set(versions)).toEqual(new Set([packageJson.devDependencies['bun-types']]))
  expect(codeBlocks(section(page('README.md'), 'Run it'), 'sh')[0]).toBe('npx -y bun@1.4.5 start\n')
})

test('every file and folder that the pages name exists', () => {
  const paths = named(/`((?:src|tests|migrations|chart|docs|\.ci)\/[^`\s]*)`/g)
  expect(paths.length).toBeGreaterThan(30)
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

test('every variable that the pages name exists', () => {
  const providers = [...SSO_PRESETS.keys()].flatMap((name) =>
    ['CLIENT_ID', 'CLIENT_SECRET', 'ISSUER', 'DISPLAY_NAME', 'SCOPES'].map(
      (variable) => `${name.toUpperCase()}_${variable}`,
    ),
  )
  const known: string[] = CONFIGURATION.flatMap(({ name }) => [name, `${name}_FILE`]).concat(providers)
  // Build arguments of the image, what the tests take, and what clients take.
  const others = [
    'tests/backend/http/strict-reads.test.ts',
    'Dockerfile',
    'tests/support/images/build.ts',
    'tests/support/tiers.ts',
    'tests/chart/golden.test.ts',
    'tests/clients/support/clients.ts',
    'tests/clients/secrets-guide.test.ts',
  ]
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const variables = named(/`([A-Z]+(?:_[A-Z0-9]+)+)(?:=[a-z0-9-]+)?`/g)
  expect(variables.length).toBeGreaterThan(30)
  expect(variables.filter((name) => !known.includes(name) && !others.includes(name))).toEqual([])
})

test('every command in the table of operations is one of the program, and none is missing', () => {
  const rows = section(page('docs/operations.md'), 'Commands').matchAll(/^\| `([a-z]+)/gm)
  const { stdout } = Bun.spawnSync([process.execPath, join(root, 'src/main.ts'), '--help'])
  const known = [...stdout.toString().matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? '')
  expect(new Set([...rows].map(([, name]) => name ?? ''))).toEqual(new Set(known))
})

test("the versions of Phase's clients that the pages name are those that are installed for the tests", () => {
  const installed = readFileSync(join(root, '.ci/machine.sh'), 'utf8')
  const clients = { PHASE_CLI: 'phase-cli', PHASE_DEV: 'phase-dev', PHASE_NODE: '@phase.dev/phase-node' }
  for (const [variable, name] of Object.entries(clients)) {
    const version = new RegExp(`^${variable}=(.+)$`, 'm').exec(installed)?.[1]
    expect(version, variable).toMatch(/^\d+\.\d+\.\d+$/)
    const rows = [page('docs/secrets.md'), page('docs/development.md')]
    for (const text of rows) expect(text, name).toContain(`\`${name}\` ${version}`)
  }
})
