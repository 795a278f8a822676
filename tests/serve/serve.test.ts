import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { clusterDirectory } from '../../src/platform/postgres/data-directory.ts'
import { eventually } from '../support/eventually.ts'
import {
  cleanUp,
  dataDirectory,
  isListening,
  type Keyward,
  postgresPort,
  readyKeyward,
  startKeyward,
} from '../support/keyward.ts'
import { call, register, signIn } from '../support/keyward-api.ts'

let directory: string
let keyward: Keyward
const env = () => ({ KEYWARD_DATA: directory })

beforeAll(async () => {
  directory = await dataDirectory()
  keyward = await readyKeyward({ env: env() })
})
afterAll(cleanUp)

/** Nothing is left of the embedded PostgreSQL that listened on `port`. */
async function expectNoPostgres(port: number | null): Promise<void> {
  expect(port).toBeGreaterThan(0)
  expect(await postgresPort(directory)).toBeNull()
  expect(await isListening(Number(port))).toBe(false)
}

test('the first start prints the address, what to back up and how to register', async () => {
  await eventually('the banner is there', () => keyward.output().includes('/swagger\n'))
  const port = keyward.url.split(':')[2]
  expect(keyward.output()).toContain(
    `Keyward v0.1.0 is running at http://localhost:${port}
  Data             ${directory}
  Back up          ${directory}/secrets/SERVER_SECRET: without it the keys in the database are lost
  First account    http://localhost:${port}/setup: whoever registers first becomes the Owner
  API              http://localhost:${port}/swagger
`,
  )
})

test('the first account is registered over HTTP, and signs in', async () => {
  const { status, body } = await register(keyward)
  expect(status).toBe(201)
  expect(body).toMatchObject({ member: { role: { name: 'Owner' } }, verificationRequired: false })
  const session = await signIn(keyward)
  expect((await call(keyward, 'GET', '/v1/me/', { token: session.body.accessToken })).status).toBe(200)
})

test('a path that begins with two slashes reaches the API: clients were given a host with one at its end', async () => {
  for (const [path, status] of [
    ['//service/health/', 200],
    ['///service/health/', 200],
    ['//service/secrets/tokens/', 401],
    ['//v1/me/', 401],
    ['//nothing/v1/me/', 404],
  ] as const) {
    const answer = await exchange(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    expect(answer, path).toStartWith(`HTTP/1.1 ${status} `)
  }
})

test('one port serves the API, the health of both hosts and the page', async () => {
  expect(await call(keyward, 'GET', '/service/health/')).toEqual({
    status: 200,
    body: { status: 'alive', version: 'v0.1.0' },
  })
  expect(await call(keyward, 'GET', '/api/health')).toEqual({ status: 200, body: { status: 'alive' } })
  const page = await fetch(keyward.url)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
})

test.each([
  ['no Host at all', 'HTTP/1.0', ''],
  ['an empty Host', 'HTTP/1.1', 'Host: \r\n'],
  ['a Host with a space', 'HTTP/1.1', 'Host: a b\r\n'],
  ['a Host that is half an address', 'HTTP/1.1', 'Host: [::1\r\n'],
])('a request with %s is refused in a sentence, but for its health', async (_, version, header) => {
  const refused = await exchange(`GET /v1/roles/ ${version}\r\n${header}Connection: close\r\n\r\n`)
  expect(refused).toStartWith('HTTP/1.1 400 ')
  expect(refused).toEndWith('{"error":"This host name is not allowed. Add it to ALLOWED_HOSTS."}')
  const healthy = await exchange(`GET /service/health/ ${version}\r\n${header}Connection: close\r\n\r\n`)
  expect(healthy).toStartWith('HTTP/1.1 200 ')
})

test('a second process on the same data directory is refused, and the first one goes on', async () => {
  const second = startKeyward({ env: env() })
  expect(await second.exited).toBe(1)
  expect(second.output()).toBe(
    `Another Keyward is running on the data directory ${directory}: stop it first, or give this one another directory with KEYWARD_DATA.\n`,
  )
  expect((await call(keyward, 'GET', '/service/ready/')).status).toBe(200)
})

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('a request under way gets its answer, nothing new is taken, and all ends with 0', async () => {
    if (keyward.child.exitCode !== null) keyward = await readyKeyward({ env: env() })
    const port = await postgresPort(directory)
    const body = JSON.stringify({ email: `${signal}@example.org`, password: 'correct horse battery' })
    const { socket, answer } = await startedRequest('/service/auth/password/register/', body.length)
    keyward.child.kill(signal)
    await eventually(
      'it takes nothing new',
      async () => !(await isListening(Number(new URL(keyward.url).port))),
    )
    expect(keyward.child.exitCode).toBeNull()
    socket.write(body)
    expect(await answer).toMatch(/^HTTP\/1\.1 201 .*"verificationRequired":false/s)
    expect(await keyward.exited).toBe(0)
    await expectNoPostgres(port)
  })
})

test('after SIGKILL the next start stops the PostgreSQL that was left, and has all data', async () => {
  keyward = await readyKeyward({ env: env() })
  await keyward.stop('SIGKILL')
  const left = await postgresPort(directory)
  expect(await isListening(Number(left))).toBe(true)
  keyward = await readyKeyward({ env: env() })
  expect(await isListening(Number(left))).toBe(false)
  const { status, body } = await signIn(keyward)
  expect([status, body.organisation]).toMatchObject([200, { name: 'My organisation' }])
  expect(keyward.output()).not.toContain('First account')
  expect(await keyward.stop()).toBe(0)
})

test('when its PostgreSQL is killed, serve exits with 1, and the next start has all data', async () => {
  keyward = await readyKeyward({ env: env() })
  const [pid] = (await readFile(join(clusterDirectory(directory), 'postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
  expect(await keyward.exited).toBe(1)
  expect(keyward.output()).toContain('The embedded PostgreSQL stopped unexpectedly')
  keyward = await readyKeyward({ env: env() })
  expect((await signIn(keyward)).status).toBe(200)
  expect(await keyward.stop()).toBe(0)
})

test('a PORT that is taken is one sentence, and leaves nothing running', async () => {
  const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const refused = startKeyward({ env: { ...env(), PORT: String(other.port), LOG_LEVEL: 'silent' } })
  expect(await refused.exited).toBe(1)
  other.stop(true)
  expect(refused.output()).toBe(`Port ${other.port} on 127.0.0.1 is taken: set PORT to another one.\n`)
  expect(await postgresPort(directory)).toBeNull()
})

test('another SERVER_SECRET than the first is refused, and leaves nothing running', async () => {
  const path = join(directory, 'secrets', 'SERVER_SECRET')
  const original = await readFile(path, 'utf8')
  await writeFile(path, 'ab'.repeat(32))
  const refused = startKeyward({ env: { ...env(), LOG_LEVEL: 'silent' } })
  expect(await refused.exited).toBe(1)
  await writeFile(path, original)
  expect(refused.output()).toMatch(
    /^SERVER_SECRET is not the one that this database's keys are wrapped with: its key id is [0-9a-f]{8}, the database's is [0-9a-f]{8}\. Start with the original SERVER_SECRET\.\n$/,
  )
  expect(await postgresPort(directory)).toBeNull()
})

test('a signal in the middle of the first start leaves nothing running', async () => {
  const fresh = await dataDirectory()
  const interrupted = startKeyward({ env: { KEYWARD_DATA: fresh } })
  await eventually('the database is being made', async () =>
    (await readdir(fresh)).some((name) => name.startsWith('postgres')),
  )
  expect(await interrupted.stop()).toBe(0)
  expect(interrupted.output()).toBe('')
  expect(await readdir(clusterDirectory(fresh))).not.toContain('postmaster.pid')
})

test('every fault of the configuration is listed at once', async () => {
  const refused = startKeyward({
    env: {
      ...env(),
      PORT: 'http',
      HOST: 'a b',
      RATE_LIMIT_AUTH: 'sometimes',
      SECRET_KEY: 'short',
      LOG_LEVEL: 'loud',
    },
  })
  expect(await refused.exited).toBe(1)
  const [first, ...faults] = refused.output().trimEnd().split('\n')
  expect(first).toBe('Keyward cannot start:')
  const names = faults.map((fault) => /^[A-Z_]+/.exec(fault)?.[0])
  expect(names.sort()).toEqual(['HOST', 'LOG_LEVEL', 'PORT', 'RATE_LIMIT_AUTH', 'SECRET_KEY'])
  expect(refused.output()).not.toContain('short')
})

test('an unknown command or option prints the usage', async () => {
  const refused = startKeyward({ args: ['bakend'] })
  expect(await refused.exited).toBe(2)
  for (const role of ['serve', 'backend', 'worker', 'frontend', 'migrate', 'users', 'jobs'])
    expect(refused.output()).toContain(`\n  ${role} `)
  const help = startKeyward({ args: ['--help'] })
  expect(await help.exited).toBe(0)
  expect(refused.output()).toBe(`Unknown command: bakend. Did you mean backend?\n\n${help.output()}`)
  const mistyped = startKeyward({ args: ['migrate', '--wiat'] })
  expect(await mistyped.exited).toBe(2)
  expect(mistyped.output()).toBe(`Unknown option of migrate: --wiat.\n\n${help.output()}`)
})

/** What the server sends until it closes the connection. */
function exchange(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(new URL(keyward.url).port), '127.0.0.1', () => socket.write(text))
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part
    })
    socket.on('close', () => resolve(answer)).on('error', reject)
  })
}

/** A POST whose head the server has read, and whose body it awaits. */
async function startedRequest(path: string, length: number) {
  const socket = connect(Number(new URL(keyward.url).port), '127.0.0.1')
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const answer = new Promise<string>((resolve) =>
    socket.once('close', () => resolve(text.replace(CONTINUE, ''))),
  )
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
  )
  await eventually('the server asks for the body', () => text.startsWith(CONTINUE))
  return { socket, answer }
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
