import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Database, openDatabase } from '../../src/platform/postgres/database.ts'
import { type Collector, startCollector } from '../support/collector.ts'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { cleanUp, postgresPort } from '../support/keyward.ts'
import { fileOf, type Login, removeFolders } from './support/clients.ts'
import { type CommandLine, commandLine } from './support/command-line.ts'
import { type App, type Deployment, type Holder, startDeployment } from './support/deployment.ts'
import { nodeSdk, pythonSdk } from './support/sdk.ts'

/** In every key, value and comment that the clients are given; no other text of the deployment has it. */
const NEEDLE = 'NEEDLE4F1D'

const metricsPort = freePort()
let collector: Collector
let deployment: Deployment
let app: App
let member: Holder
let login: Login
let line: CommandLine

beforeAll(async () => {
  collector = startCollector()
  deployment = await startDeployment({
    METRICS_PORT: String(metricsPort),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  })
  app = await deployment.app('Haystack')
  member = await deployment.member('Developer', [{ app }])
  login = await deployment.login(member)
  line = commandLine(login, 'Haystack')
})
afterAll(async () => {
  await removeFolders()
  await cleanUp()
  await collector.stop()
})

/** Each client writes, reads, fails and deletes. */
async function roundTrip(): Promise<void> {
  await line.create(`${NEEDLE}_CLI`, `${NEEDLE} of the command line`)
  await line.fails(['secrets', 'create', `${NEEDLE}_CLI`], { input: `${NEEDLE} twice` })
  await line.fails(['secrets', 'create', `${NEEDLE}_LONG`], { input: NEEDLE.repeat(10_000) })
  const update = ['secrets', 'update', `${NEEDLE}_CLI`, '--updated-path', '/moved']
  await line.succeeds(update, { input: `${NEEDLE} changed` })
  const override = ['secrets', 'update', `${NEEDLE}_CLI`, '--path', '/moved', '--override']
  await line.succeeds(override, { input: `${NEEDLE} of one's own\n` })
  const file = await fileOf(`${NEEDLE}_A=${NEEDLE} imported\n${NEEDLE}_B=${NEEDLE} \${${NEEDLE}_A}\n`)
  await line.succeeds(['secrets', 'import', file])
  expect(await line.exported()).toMatchObject({ [`${NEEDLE}_CLI`]: `${NEEDLE} of one's own` })
  expect(await line.succeeds(['run', 'env'])).toContain(`${NEEDLE}_B=${NEEDLE} ${NEEDLE} imported\n`)
  await line.succeeds(['secrets', 'delete', `${NEEDLE}_A`])

  const python = await pythonSdk(login)
  const place = { app_name: 'Haystack', env_name: 'Development' }
  const pairs = [{ [`${NEEDLE}_PYTHON`]: `${NEEDLE} of Python` }]
  await python.call('create_secrets', { ...place, key_value_pairs: pairs })
  await python.failure('create_secrets', { ...place, key_value_pairs: pairs })
  await python.call('get_all_secrets', place)
  await python.end()

  const node = await nodeSdk(login)
  await node.call('init')
  const secret = { key: `${NEEDLE}_NODE`, value: `${NEEDLE} of Node`, comment: `${NEEDLE} comment` }
  const there = { appId: app.id, envName: 'Development' }
  await node.call('create', { ...there, secrets: [secret] })
  const [stored] = (await node.call('get', { ...there, key: secret.key })) as object[]
  expect(stored).toMatchObject(secret)
  await node.call('update', { ...there, secrets: [{ ...stored, value: `${NEEDLE} again` }] })
  await node.end()
}

/** What a client with a fault sends: plaintext where ciphertext belongs, and in headers. */
async function sendInClear(): Promise<void> {
  const url = `${login.host}/service/secrets/`
  const headers = {
    authorization: `Bearer User ${login.token.split(':')[2]}`,
    environment: String(app.environments.Development),
  }
  const secret = { key: `${NEEDLE}_CLEAR`, keyDigest: NEEDLE, value: `${NEEDLE} in clear` }
  for (const method of ['POST', 'PUT', 'DELETE']) {
    for (const body of [JSON.stringify({ secrets: [secret] }), `{"secrets":["${NEEDLE}`, `${NEEDLE}=1`]) {
      const response = await fetch(url, { method, headers, body })
      expect([response.status, await response.text()]).toEqual([400, expect.not.stringContaining(NEEDLE)])
    }
  }
  for (const name of ['KeyDigest', 'Path']) {
    const response = await fetch(url, { headers: { ...headers, [name]: `${NEEDLE} \u0001/..` } }).catch(
      () => null,
    )
    if (response) expect(response.status).toBe(400)
  }
}

/** Every row of every table as text. */
async function dump(db: Database): Promise<string> {
  const tables = await db<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`
  const rows = await Promise.all(tables.map(({ name }) => db.unsafe(`select t::text as text from ${name} t`)))
  return rows.flatMap((part) => part.map(({ text }) => text)).join('\n')
}

async function openData(): Promise<Database> {
  const password = await readFile(join(deployment.data, 'secrets/DATABASE_PASSWORD'), 'utf8')
  const port = Number(await postgresPort(deployment.data))
  const config = {
    host: '127.0.0.1',
    port,
    database: 'keyward',
    username: 'keyward',
    password: password.trim(),
  }
  return openDatabase({ ...config, ssl: 'disable', sslCa: null }, { max: 1 })
}

/** A word in the forms in which it might lie somewhere: as it is, in small letters, in hex, and in base64. */
const formsOf = (word: string): string[] => [
  word,
  word.toLowerCase(),
  Buffer.from(word).toString('hex'),
  // Whatever stands before it, one of these is in the base64 of the whole.
  ...[0, 1, 2].map((before) => {
    const text = Buffer.from('.'.repeat(before) + word).toString('base64')
    return text.slice(before === 0 ? 0 : before + 1, Math.floor(((before + word.length) * 8) / 6))
  }),
]

const holds = (hay: Buffer | string, word: string): boolean =>
  formsOf(word).some((form) => Buffer.from(hay as string).includes(form))

async function filesWith(word: string): Promise<string[]> {
  const files = await Array.fromAsync(new Bun.Glob('**/*').scan({ cwd: deployment.data, dot: true }))
  const found: string[] = []
  for (const file of files) if (holds(await readFile(join(deployment.data, file)), word)) found.push(file)
  return found
}

test('every form of a word is found', () => {
  for (const before of ['', 'a', 'bc', 'def']) {
    const text = `${before}${NEEDLE} after`
    for (const hay of [text, Buffer.from(text).toString('hex'), btoa(text)]) {
      expect([hay, holds(hay, NEEDLE)]).toEqual([hay, true])
    }
  }
})

test('after a round trip of each client no key, value or comment is in tables, files, logs, metrics or traces', async () => {
  await roundTrip()
  await sendInClear()
  const db = await openData()
  const tables = await dump(db)
  await db.end()
  expect([holds(tables, 'Haystack'), holds(tables, NEEDLE)]).toEqual([true, false])
  expect(tables).toContain('secret.read')

  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/service/metrics/`)).text()
  expect([holds(metrics, '/service/secrets'), holds(metrics, NEEDLE)]).toEqual([true, false])

  expect(await deployment.keyward.stop()).toBe(0)
  const traces = () => collector.requests.map(({ text }) => text).join('\n')
  await eventually('the traces have come', () => holds(traces(), '/service/secrets'))
  expect(holds(traces(), NEEDLE)).toBe(false)
  const log = deployment.keyward.output()
  expect([holds(log, 'Keyward'), holds(log, NEEDLE)]).toEqual([true, false])

  expect(await filesWith('Haystack')).not.toEqual([])
  expect(await filesWith(NEEDLE)).toEqual([])
}, 180_000)
