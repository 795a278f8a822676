import { afterAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import packageJson from '../../package.json' with { type: 'json' }
import { CONFIGURATION } from '../../src/config.ts'
import { cleanUp, dataDirectory, readyKeyward } from '../support/keyward.ts'

const root = new URL('../../', import.meta.url)
const readme = await readFile(new URL('README.md', root), 'utf8')

afterAll(cleanUp)

/** What stands under a heading, down to the next one of its level. */
function section(heading: string): string {
  const found = readme.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`))
  if (found === undefined) throw new Error(`README.md has no section ${heading}.`)
  return found
}

const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, kind, code]) =>
    kind === language ? [code ?? ''] : [],
  )

test('the quick start runs as it stands against a new Keyward, and ends with the audit entry that it shows', async () => {
  const keyward = await readyKeyward({ env: { KEYWARD_DATA: await dataDirectory() } })
  const commands = blocks(section('Quick start'), 'sh').join('\n')
  expect(commands).toContain('KEYWARD=http://localhost:8080\n')
  const script = commands.replace('http://localhost:8080', keyward.url)
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const answer = JSON.parse(stdout.slice(stdout.lastIndexOf('{"data":')))
  const [shown = ''] = blocks(section('Quick start'), 'json')
  expect(withoutIds(answer)).toMatchObject(withoutIds(JSON.parse(shown)) as object)
  expect(await keyward.stop()).toBe(0)
})

/** Ids that the server made, and those that the README leaves out, are the same. */
const withoutIds = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/"(…|[0-9a-f-]{36})"/g, '"id"'))

test('the configuration table is that of the program, row by row', () => {
  const [, , ...rows] = section('Configuration')
    .split('\n')
    .filter((line) => line.startsWith('|'))
  const expected = CONFIGURATION.map(({ name, secret, default: value, meaning }) => {
    const names = secret ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``
    return `| ${names} | ${value === null ? '' : `\`${value}\``} | ${meaning} |`
  })
  expect(rows).toEqual(expected)
})

describe('what the README names exists', () => {
  test('scripts', () => {
    const named = [...readme.matchAll(/\bbun(?:@[\d.]+)? (?:run )?([a-z]+)\b(?!\/)/g)].map(([, name]) => name)
    expect([...new Set(named)].sort()).toEqual(['bench', 'check', 'dev', 'start', 'test'])
    for (const name of named) expect(Object.keys(packageJson.scripts)).toContain(name as string)
  })

  test('the two commands name the version of Bun whose types are checked', () => {
    const versions = [...readme.matchAll(/\bbun@([\d.]+)/g)].map(([, version]) => version)
    expect(new Set(versions)).toEqual(new Set([packageJson.devDependencies['bun-types']]))
    expect(blocks(section('Run it'), 'sh')).toEqual([
      'npx -y bun@1.4.5 start\n',
      'npx -y bun@1.4.5 run test\n',
    ])
  })

  test('files and folders', () => {
    const named = [...readme.matchAll(/`((?:src|tests|migrations)\/[^`\s]*)`/g)].map(([, path]) => path ?? '')
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((path) => !existsSync(new URL(path, root)))).toEqual([])
    expect(existsSync(new URL('LICENSE', root))).toBe(true)
  })

  test('variables', () => {
    const known = CONFIGURATION.flatMap(({ name }) => [name, `${name}_FILE`])
    const named = [...readme.matchAll(/`([A-Z]+(?:_[A-Z]+)+)(?:=[a-z]+)?`/g)].map(([, name]) => name ?? '')
    // Build arguments of the image, and the names of images that its tests take.
    const images = ['Dockerfile', 'tests/support/images/build.ts']
      .map((path) => readFileSync(new URL(path, root), 'utf8'))
      .join('\n')
    const isKnown = (name: string) =>
      known.includes(name as never) || images.includes(name) || name === '_FILE'
    expect(named.filter((name) => !isKnown(name))).toEqual([])
  })
})

/** Events whose names the source puts together. */
const COMPOSED = [
  ...['app', 'environment'].flatMap((thing) =>
    ['created', 'updated', 'deleted'].map((verb) => `${thing}.${verb}`),
  ),
  ...['member', 'service_account'].map((thing) => `${thing}.access_changed`),
]

test('every event of the audit log is listed, and no other', async () => {
  const folder = new URL('src/core/', root)
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'))
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')))
  const written = texts.flatMap((text) => [...text.matchAll(EVENT)].map(([, name]) => name ?? ''))
  const events = [...section('The API, in a page').matchAll(/`([a-z_]+\.[a-z_]+)`/g)]
    .map(([, name]) => name ?? '')
    .filter((name) => !name.endsWith('_refused'))
  expect(events.toSorted()).toEqual([...new Set([...written, ...COMPOSED])].sort())
})

const EVENT =
  /'((?:app|environment|invite|member|organisation|role|service_account|session|token|user)\.[a-z_]+)'/g
