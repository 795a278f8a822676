import { expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  badFiles,
  cycles,
  foreignQueries,
  foreignStatements,
  importsOf,
  leftovers,
  type Rules,
  runtimeUses,
  type Sources,
  unavailableInBrowsers,
  undocumented,
  untested,
  wrongDirections,
  wrongSchemaLibraries,
} from './support/architecture.ts'

const everything = { context: 'value', core: 'value', platform: 'value', config: 'type' } as const

/** main → backend | worker | frontend | edge → core → platform. What is not named here is forbidden. */
const rules: Rules = {
  main: { commands: 'value', platform: 'value' },
  // The commands, on whatever runtime the entry names.
  commands: {
    ...everything,
    config: 'value',
    'backend/app': 'value',
    backend: 'value',
    worker: 'value',
    frontend: 'value',
    cli: 'value',
    telemetry: 'value',
  },
  // What commands.ts runs for operators.
  cli: { ...everything, config: 'value' },
  telemetry: everything,
  // The entry of `bun run dev`: main.ts, and what only developers see.
  dev: { core: 'value', platform: 'value', main: 'value', frontend: 'value' },
  // The other entries: the same program for other runtimes.
  edge: {
    ...everything,
    config: 'value',
    'backend/app': 'value',
    worker: 'value',
    frontend: 'value',
    commands: 'value',
  },
  'backend/app': { ...everything, backend: 'value' },
  backend: everything,
  worker: everything,
  frontend: { ...everything, console: 'value' },
  // In the browser: the typed client knows the backend's routes by their types alone.
  console: { core: 'value', 'backend/app': 'type' },
  context: { core: 'value', platform: 'value', config: 'type' },
  core: { context: 'type', platform: 'type', config: 'type' },
  config: { platform: 'type' },
  platform: {},
}

const maxLines = 250

const secrets = {
  'a path of one machine': /(?<![\w.-])\/(?:w[o]rk|r[o]ot|home\/[a-z]+)\//,
  'a package registry': /\bhttps?:\/\/[\w.:@-]*(?:registry|artifactory|nexus|npmjs|pypi)/i,
  'something unfinished': /\b(?:TOD[O]|FIXM[E]|XX[X])\b/,
}

/** What stands behind a backtick is a text that is written for a test, not a test. */
const passedOver = {
  'a test that may not run': /^[^`]*\b(?:test|it|describe)\.(?:skip|todo|only|if|failing)(?:If)?\b/,
}

const asksForRuntime = {
  'a question for the runtime':
    /typeof (?:Bun|Deno|WebSocketPair|EdgeRuntime)\b|\bnavigator\.userAgent\b|process\.versions\b|globalThis(?:\.|\[['"])(?:Bun|Deno)\b/,
}

const leftAlone = { 'work that nobody waits for': /^\s*void \w[\w.]*\(/ }

function areaOf(file: string): string {
  if (file === 'src/backend/app.ts') return 'backend/app'
  if (file.startsWith('src/frontend/app/')) return 'console'
  return file.split('/')[1]?.replace(/\.ts$/, '') ?? ''
}

function mayUseRuntime(file: string): boolean {
  const files = [
    'src/main.ts',
    'src/commands.ts',
    'src/dev.ts',
    'src/dev/console.ts',
    'src/config.ts',
    'src/frontend/build.ts',
    'src/frontend/files.ts',
  ]
  return files.includes(file) || /^src\/(?:platform|edge)\//.test(file)
}

const mayHoldSql = (file: string): boolean => /^src\/(?:core|platform)\//.test(file)

/** The rules of the product: the console asks them in the browser. */
const isRule = (file: string): boolean =>
  /^src\/core\/(?:[^/]+\/policy|permissions|access|policy|errors)\.ts$/.test(file)

/** Only the entries know the runtime, and the console its browser: all else is given what differs. */
const isEntry = (file: string): boolean => /^src\/(?:main\.ts$|dev\.ts$|edge\/|frontend\/app\/)/.test(file)

/** The driver of PostgreSQL is another project's. */
const isOurs = (file: string): boolean => !file.startsWith('src/platform/postgres/driver/')

const isCore = (file: string): boolean => file.startsWith('src/core/')

/** `typebox` is for the configuration and the payloads of jobs; routes need Elysia's library, `@sinclair/typebox`. */
const usesTypebox1 = (file: string): boolean =>
  /^src\/(?:config\.ts$|config\/|core\/jobs\.ts$|platform\/queue\/|worker\/)/.test(file)

const root = join(import.meta.dir, '..')
const all = await readSources(await trackedFiles())
const source = filter(all, (file) => /^src\/.*\.tsx?$/.test(file) && isOurs(file))

test('imports point one way: main → backend, worker, frontend, edge → core → platform', () => {
  expect(wrongDirections(importsOf(source), areaOf, rules)).toEqual([])
})

test("a feature's SQL is its own: others use what its use cases export", () => {
  expect(foreignQueries(importsOf(source))).toEqual([])
})

test('the shapes that features and clients share import no other file', () => {
  expect(importsOf(source).filter(({ from }) => from.startsWith('src/core/contract/'))).toEqual([])
})

test('only core and platform send statements to the database', () => {
  expect(foreignStatements(source, mayHoldSql)).toEqual([])
})

test('every resource of the API and every feature of the core has its tests', () => {
  expect(untested([...all.keys()])).toEqual([])
})

test('no two files import each other, not even in a wide circle', () => {
  expect(cycles(importsOf(source))).toEqual([])
})

test('the runtime and the operating system are used only at the edges', () => {
  expect(runtimeUses(source, mayUseRuntime)).toEqual([])
})

test('the rules of the product import nothing that a browser lacks', () => {
  expect(filter(source, isRule).size).toBeGreaterThan(10)
  expect(unavailableInBrowsers(source, isRule, isCore)).toEqual([])
})

test('routes and core import @sinclair/typebox, configuration and job payloads import typebox', () => {
  expect(wrongSchemaLibraries(source, usesTypebox1)).toEqual([])
})

test('files are short, in kebab-case, named for their content, and export no default', () => {
  // A Worker is the default of its module.
  expect(badFiles(source, maxLines)).toEqual(['src/edge/cloudflare.ts exports a default.'])
})

test('nothing but the entries asks on which runtime it is', () => {
  expect(
    leftovers(
      filter(source, (file) => !isEntry(file)),
      asksForRuntime,
    ),
  ).toEqual([])
})

test('work that no answer waits for goes through the context, which waits for it', () => {
  expect(
    leftovers(
      filter(source, (file) => /^src\/(?:core|backend)\//.test(file)),
      leftAlone,
    ),
  ).toEqual([])
})

test('every exported function of core and platform has a doc comment', () => {
  expect(undocumented(filter(source, (file) => /^src\/(core|platform)\//.test(file)))).toEqual([])
})

test('no file names a machine, a registry, or work still to be done', () => {
  expect(leftovers(all, secrets)).toEqual([])
})

test('no test is skipped, still to be written, or run alone', () => {
  const tests = filter(all, (file) => /^tests\/.*\.tsx?$/.test(file))
  expect(tests.size).toBeGreaterThan(100)
  expect(leftovers(tests, passedOver)).toEqual([])
})

test('the walk finds the source', () => {
  expect(source.size).toBeGreaterThan(3)
  expect(importsOf(source).length).toBeGreaterThan(3)
})

const sources = (files: Record<string, string>): Sources => new Map(Object.entries(files))
const directions = (files: Record<string, string>) =>
  wrongDirections(importsOf(sources(files)), areaOf, rules)

test.each([
  ['src/platform/kv/kv.ts', `import { can } from '../../core/access.ts'`],
  ['src/core/access.ts', `import { createApp } from '../backend/app.ts'`],
  ['src/core/access.ts', `import type { App } from '../backend/app.ts'`],
  ['src/core/access.ts', `import { openDatabase } from '../platform/database.ts'\nopenDatabase()`],
  ['src/core/access.ts', `import { create } from '../context.ts'\ncreate()`],
  ['src/core/roles/roles.ts', `import { x } from '../../config.ts'\nx()`],
  ['src/backend/v1/roles.ts', `import {\n  work,\n} from '../../worker/worker.ts'\nwork()`],
  ['src/worker/worker.ts', `export { createApp } from '../backend/app.ts'`],
  ['src/worker/worker.ts', `export type { App } from '../backend/app.ts'`],
  ['src/worker/worker.ts', `const app = await import('../backend/app.ts')`],
  ['src/worker/worker.ts', `let app: import('../backend/app.ts').App`],
  ['src/backend/hosts.ts', `import { main } from '../main.ts'\nmain()`],
  ['src/frontend/app/client.ts', `import { createApp } from '../../backend/app.ts'\ncreateApp()`],
  ['src/frontend/app/client.ts', `import type { X } from '../../backend/hosts.ts'`],
  ['src/edge/deno.ts', `import { hosts } from '../backend/hosts.ts'\nhosts()`],
])('%s with %j goes the wrong way', (file, text) => {
  expect(directions({ [file]: text })).toHaveLength(1)
})

test.each([
  ['src/commands.ts', `import { createApp } from './backend/app.ts'\ncreateApp()`],
  ['src/backend/v1/roles.ts', `import { create } from '../../core/roles/roles.ts'\ncreate()`],
  ['src/core/roles/roles.ts', `import type { Context } from '../../context.ts'`],
  ['src/core/roles/roles.ts', `import type { Clock } from '../../platform/clock.ts'`],
  ['src/core/roles/roles.ts', `import { can } from '../access.ts'\ncan()`],
  ['src/frontend/app/client.ts', `import type { App } from '../../backend/app.ts'`],
  ['src/edge/deno.ts', `import { createApp } from '../backend/app.ts'\ncreateApp()`],
])('%s with %j goes the right way', (file, text) => {
  expect(directions({ [file]: text })).toEqual([])
})

test.each([
  ['src/backend/v1/roles.ts', `import * as queries from '../../core/roles/queries.ts'\nqueries.find()`],
  ['src/core/members/members.ts', `import { find } from '../roles/queries.ts'\nfind()`],
  ['src/core/members/members.ts', `import * as sessions from '../auth/session-queries.ts'\nsessions.end()`],
  ['src/core/members/members.ts', `import type { Row } from '../auth/session-queries.ts'`],
  ['src/core/housekeeping.ts', `import { removeAll } from './audit/queries.ts'\nremoveAll()`],
])("%s with %j reaches for another feature's SQL", (file, text) => {
  expect(foreignQueries(importsOf(sources({ [file]: text })))).toHaveLength(1)
})

test("a feature's own SQL is for every file of it", () => {
  const own = {
    'src/core/sessions/sessions.ts': `import { find } from './session-queries.ts'\nfind()`,
    'src/core/sessions/queries.ts': `import { columns } from './queries.ts'\ncolumns()`,
  }
  expect(foreignQueries(importsOf(sources(own)))).toEqual([])
})

test('statements are found in whatever form, a database that is only handed on is not', () => {
  const bad = [
    'await ctx.db`select 1`',
    'await tx<{ id: string }[]>`delete from roles`',
    'await ctx.db.begin(async (tx) => work(tx))',
    `await ctx.db.unsafe('select 1')`,
  ]
  for (const text of bad) {
    expect(foreignStatements(sources({ 'src/backend/v1/a.ts': text }), mayHoldSql), text).toHaveLength(1)
    expect(foreignStatements(sources({ 'src/core/roles/a.ts': text }), mayHoldSql)).toEqual([])
  }
  const good = 'const organisation = await servedOrganisation(ctx.db)'
  expect(foreignStatements(sources({ 'src/backend/v1/a.ts': good }), mayHoldSql)).toEqual([])
})

test('resources and features without tests are found', () => {
  const files = [
    'src/backend/v1/roles.ts',
    'src/backend/service/health.ts',
    'src/backend/app.ts',
    'src/core/roles/roles.ts',
    'src/core/me/me.ts',
    'src/core/me/queries.ts',
    'src/core/actor.ts',
  ]
  expect(untested(files)).toEqual([
    'tests/backend/v1/roles.test.ts is missing.',
    'tests/backend/service/health.test.ts is missing.',
    'tests/core/roles/ holds no test.',
    'tests/core/me/ holds no test.',
  ])
  const tests = [
    'tests/backend/v1/roles.test.ts',
    'tests/backend/service/health.test.ts',
    'tests/core/roles/role.test.ts',
    'tests/core/me/me.test.ts',
  ]
  expect(untested([...files, ...tests])).toEqual([])
})

test('circles are found, of two files and of three, of values and of types', () => {
  const circle = sources({
    'src/core/a.ts': `import type { B } from './b.ts'`,
    'src/core/b.ts': `import { c } from './c.ts'\nc()`,
    'src/core/c.ts': `import { a } from './a.ts'\na()`,
    'src/core/d.ts': `import type { E } from './e.ts'`,
    'src/core/e.ts': `import type { D } from './d.ts'`,
    'src/core/f.ts': `import { a } from './a.ts'\na()`,
  })
  expect(cycles(importsOf(circle))).toEqual([
    'src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts is a circle.',
    'src/core/d.ts → src/core/e.ts → src/core/d.ts is a circle.',
  ])
})

test.each([
  `export const a = Bun.env.X`,
  `export const a = process.env['X']`,
  `export const a = globalThis.process.pid`,
  `export const a = process?.exit(1)`,
  `export const { env } = process`,
  `export const a = f(Bun)`,
  `import { readFile } from 'node:fs/promises'\nreadFile('x')`,
  `import { spawn } from 'child_process'\nspawn('x')`,
  `import type { Stats } from 'node:fs'`,
  `import { sql } from 'bun'\nsql()`,
])('%j uses the runtime', (text) => {
  expect(runtimeUses(sources({ 'src/core/a.ts': text }), mayUseRuntime)).toHaveLength(1)
  expect(runtimeUses(sources({ 'src/platform/a.ts': text }), mayUseRuntime)).toEqual([])
})

test.each([
  `// Bun.password is for platform/`,
  `export const a = 'one process per data directory'`,
  `import { createHash } from 'node:crypto'\ncreateHash('x')`,
  `export const a = job.process.name`,
])('%j does not use the runtime', (text) => {
  expect(runtimeUses(sources({ 'src/core/a.ts': text }), mayUseRuntime)).toEqual([])
})

test('what a browser lacks is found, also behind other files; types are not looked at', () => {
  const files = sources({
    'src/core/roles/policy.ts': `import { can } from '../access.ts'\nimport type { C } from '../../context.ts'\ncan()`,
    'src/core/access.ts': `import { key } from './text.ts'\nimport { open } from '../platform/kv.ts'\nkey(open())`,
    'src/core/text.ts': [
      `import { createHash } from 'node:crypto'`,
      `import { Type } from '@sinclair/typebox'`,
      'createHash(Type)',
    ].join('\n'),
    'src/core/roles/roles.ts': `import { createHash } from 'node:crypto'\ncreateHash('x')`,
  })
  expect(unavailableInBrowsers(files, isRule, isCore).toSorted()).toEqual([
    'src/core/access.ts must not import values from src/platform/kv.ts: browsers load src/core/access.ts, too.',
    'src/core/text.ts must not import values from @sinclair/typebox: browsers load src/core/text.ts, too.',
    'src/core/text.ts must not import values from node:crypto: browsers load src/core/text.ts, too.',
  ])
})

test('questions for the runtime and work that nobody waits for are found', () => {
  for (const text of [
    `if (typeof Bun === 'undefined') {`,
    `const x = globalThis.Deno`,
    `navigator.userAgent`,
  ])
    expect(leftovers(sources({ 'src/core/a.ts': text }), asksForRuntime), text).toHaveLength(1)
  expect(leftovers(sources({ 'src/core/a.ts': '  void record(ctx)' }), leftAlone)).toHaveLength(1)
  const good = 'ctx.afterwards(record(ctx))\nstop: () => void clear()\nexport const x = void 0'
  expect(leftovers(sources({ 'src/core/a.ts': good }), { ...asksForRuntime, ...leftAlone })).toEqual([])
})

test.each([
  ['src/core/roles/role.ts', `import { Type } from 'typebox'\nType.String()`],
  ['src/backend/v1/roles.ts', `import type { Static } from 'typebox'`],
  ['src/config/mail.ts', `import { Value } from '@sinclair/typebox/value'\nValue.Check()`],
  ['src/worker/jobs/send-mail.ts', `import type { Static } from '@sinclair/typebox'`],
])('%s with %j imports the wrong library of schemas', (file, text) => {
  expect(wrongSchemaLibraries(sources({ [file]: text }), usesTypebox1)).toHaveLength(1)
})

test('long files, bad names and defaults are found', () => {
  const bad = {
    'src/core/long.ts': 'x\n'.repeat(251),
    'src/core/camelCase.ts': '',
    'src/core/Title.tsx': '',
    'src/core/string-utils.ts': '',
    'src/core/helpers/a.ts': '',
    'src/core/index.ts': '',
    'src/core/default.ts': 'export default 1',
  }
  expect(badFiles(sources(bad), maxLines)).toHaveLength(Object.keys(bad).length)
  const good = {
    'src/core/short.ts': 'x\n'.repeat(250),
    'src/core/tables.ts': `// Generated from the schema.\n${'x\n'.repeat(250)}`,
    'src/core/member-access.ts': '',
    'src/core/a.b.ts': '',
  }
  expect(badFiles(sources(good), maxLines)).toEqual([])
})

test('exported functions without a doc comment are found, others may go without', () => {
  const text = [
    'export function one() {}',
    '/** Two. */\nexport async function two() {}',
    '// Three.\nexport const three = () => 3',
    '/** Four. */\n\nexport function four() {}',
    'function five() {}\nexport const six = 6\nexport type Seven = 7',
  ].join('\n')
  expect(undocumented(sources({ 'src/core/a.ts': text }))).toEqual([
    'src/core/a.ts: one has no doc comment.',
    'src/core/a.ts: three has no doc comment.',
    'src/core/a.ts: four has no doc comment.',
  ])
})

test('machine paths, registries and unfinished work are found, ordinary text is not', () => {
  const lines = (...parts: string[]) => sources({ 'README.md': parts.join('\n') })
  const bad = lines(
    'cd /w' + 'ork/main',
    'ls /ro' + 'ot/.cache',
    'https://reg' + 'istry.example.org/x',
    '// TO' + 'DO: later',
  )
  expect(leftovers(bad, secrets).map((finding) => finding.split(' ')[0])).toEqual([
    'README.md:1',
    'README.md:2',
    'README.md:3',
    'README.md:4',
  ])
  const good = lines('https://example.org/work/', 'src/root/a.ts', 'todo', 'the framework/library', 'XXXL')
  expect(leftovers(good, secrets)).toEqual([])
})

test.each([`test.skip('s', f)`, `  test.skipIf(!docker)('s', f)`, `describe.only('s', f)`, `it.todo('s')`])(
  'that %j may not run is found',
  (text) => expect(leftovers(sources({ 'tests/a.test.ts': text }), passedOver)).toHaveLength(1),
)

/** Without a repository (an unpacked archive), every file that would be tracked. */
async function trackedFiles(): Promise<string[]> {
  const git = Bun.spawnSync(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
  })
  if (git.success) return git.stdout.toString().split('\0').filter(Boolean)
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((file) => !/(^|\/)(node_modules|data|\.git)\//.test(file))
}

async function readSources(files: string[]): Promise<Sources> {
  const text = files.filter((file) => !/\.(png|ico|woff2?|lock|lockb)$/.test(file))
  const read = async (file: string) => [file, await Bun.file(join(root, file)).text()] as const
  const found = await Promise.all(text.map((file) => read(file).catch(() => null)))
  return new Map(found.filter((entry) => entry !== null))
}

function filter(from: Sources, keep: (file: string) => boolean): Sources {
  return new Map([...from].filter(([file]) => keep(file)))
}
