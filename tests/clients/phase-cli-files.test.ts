import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cleanUp } from '../support/keyward.ts'
import { fileOf, removeFolders } from './support/clients.ts'
import { type CommandLine, commandLine } from './support/command-line.ts'
import { type Deployment, startDeployment } from './support/deployment.ts'

let deployment: Deployment
let line: CommandLine

beforeAll(async () => {
  deployment = await startDeployment()
  const app = await deployment.app('Billing')
  const account = await deployment.serviceAccount('Service', [{ app }])
  line = commandLine(await deployment.login(account), 'Billing')
})
afterAll(async () => {
  await removeFolders()
  await cleanUp()
})

const importFile = (file: string, path = '/') => ['secrets', 'import', file, '--path', path]

test('a file of 500 lines is imported at once, exported as it was, and refused a second time', async () => {
  const secrets = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`KEY_${index}`, `värde ${index} = "${index}" # 🔑`]),
  )
  const lines = Object.entries(secrets).map(([key, value]) => `${key}=${value}`)
  const file = await fileOf(`# settings\n\n${lines.join('\n')}\n`)
  expect(await line.succeeds(importFile(file))).toContain('Successfully imported and encrypted 500 secrets')
  expect(await line.exported('/')).toEqual(secrets)

  const once = await fileOf(`NEW=1\n${lines[17]}\n`)
  expect(await line.fails(importFile(once))).toContain(
    '409: A secret with the key of secrets[1] already exists at /.',
  )
  expect(Object.keys(await line.exported('/'))).toHaveLength(500)
}, 120_000)

test('a file in which a key stands twice is refused, and nothing of it is stored', async () => {
  const file = await fileOf('ONE=1\nTWO=2\none=3\n')
  expect(await line.fails(importFile(file, '/twice'))).toContain('409')
  expect(await line.exported('/twice')).toEqual({})
}, 60_000)

test('an empty file imports nothing', async () => {
  const file = await fileOf('# nothing yet\n')
  expect(await line.succeeds(importFile(file, '/empty'))).toContain('imported and encrypted 0 secrets')
}, 60_000)

test('every format of the export holds the secrets', async () => {
  const file = await fileOf('PLAIN=one two\nQUOTED="in quotes"\n')
  await line.succeeds(importFile(file, '/formats'))
  const formats = {
    dotenv: 'PLAIN="one two"\nQUOTED="in quotes"\n',
    kv: 'PLAIN=one two\nQUOTED=in quotes\n',
    csv: 'Key,Value\r\nPLAIN,one two\r\nQUOTED,in quotes\r\n',
    yaml: 'PLAIN: one two\nQUOTED: in quotes\n\n',
    toml: 'PLAIN = "one two"\nQUOTED = "in quotes"\n',
    ini: '[DEFAULT]\nPLAIN = one two\nQUOTED = in quotes\n',
  }
  for (const [format, text] of Object.entries(formats)) {
    const words = ['secrets', 'export', '--path', '/formats', '--format', format]
    expect(await line.succeeds(words)).toBe(text)
  }
  const words = ['secrets', 'export', 'QUOTED', '--path', '/formats']
  expect(await line.succeeds(words)).toBe('QUOTED="in quotes"\n')
}, 120_000)

test('a value of 64 KiB is kept whole, and a longer one is refused with its limit', async () => {
  const longest = 'x'.repeat(64 * 1024)
  await line.create('LONGEST', longest, '/long')
  expect((await line.exported('/long')).LONGEST).toBe(longest)
  const words = ['secrets', 'create', 'LONGER', '--path', '/long']
  expect(await line.fails(words, { input: `${longest}xxx` })).toContain('400: ')
}, 60_000)
