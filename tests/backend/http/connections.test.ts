import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { Agent, request as ask } from 'node:http'
import { connect, type Socket } from 'node:net'
import { createApp } from '../../../src/backend/app.ts'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { type HttpServer, listen } from '../../../src/platform/http/server.ts'
import { type TestContext, testContext } from '../../support/context.ts'
import { eventually } from '../../support/eventually.ts'
import { member, owner, type Person } from '../../support/people.ts'

let ctx: TestContext
let ada: Person
let grace: Person
let server: HttpServer
let port: number
const sockets = new Set<Socket>()

beforeAll(async () => {
  ctx = await testContext()
  ada = await owner(ctx)
  grace = await member(ctx, 'developer')
  server = listen(bunServe, { port: 0, address: '127.0.0.1' }, (peers) => createApp(ctx, peers.addressOf))
  port = Number(new URL(server.url).port)
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await server.stop(1)
  await ctx.close()
})

const MIB = 1024 * 1024

/** A connection of its own, and the statuses that were answered on it so far. */
function connection() {
  const socket = connect(port, '127.0.0.1')
  sockets.add(socket)
  let text = ''
  let failure = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  socket.on('error', (error: Error & { code?: string }) => {
    failure = error.code ?? error.message
  })
  const statuses = () => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  return {
    socket,
    statuses,
    text: () => text,
    failure: () => failure,
    send: (part: string | Uint8Array) => void socket.write(part),
    answered: (count: number) => eventually(`answer ${count}`, () => statuses().length >= count, 5),
  }
}

const head = (
  path: string,
  headers: Record<string, string | number>,
  { token = '', method = 'POST' } = {},
): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')

const json = (length: number) => ({ 'Content-Type': 'application/json', 'Content-Length': length })
const chunked = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }
const spaces = (length: number) => Buffer.alloc(length, 32)
const next = head('/service/health/', {}, { method: 'GET' })

describe('before a byte of the body has come', () => {
  test.each([
    ['nobody', () => '', 401],
    ['a caller without permission', () => grace.token, 403],
  ])('%s is answered', async (_, token, status) => {
    for (const headers of [json(MIB), json(50 * MIB), chunked, { 'Content-Length': 5 }]) {
      for (const path of ['/v1/roles/', '/service/v1/roles']) {
        const { send, answered, statuses } = connection()
        send(head(path, headers, { token: token() }))
        await answered(1)
        expect(statuses()).toEqual([status])
      }
    }
  })

  test('too large a body is 413, and one of another kind 415, whoever may call', async () => {
    const answers = [
      [head('/v1/roles', json(MIB + 1), ada), 413],
      [head('/service/auth/password/login', json(16 * 1024 + 1)), 413],
      [head('/v1/roles', { 'Content-Type': 'text/plain', 'Content-Length': 5 }, ada), 415],
      [head('/v1/roles', { ...json(5), 'content-Type': 'application/json, text/plain' }, ada), 415],
      [head('/v1/roles', { ...json(5), 'Content-Encoding': 'gzip' }, ada), 415],
    ] as const
    for (const [request, status] of answers) {
      const { send, answered, statuses } = connection()
      send(request)
      await answered(1)
      expect(statuses()).toEqual([status])
    }
  })
})

describe('on a kept connection', () => {
  test.each([
    ['a whole body that nobody reads', '', json(MIB), [spaces(MIB)], 401],
    ['the rest of a body that comes after the answer', '', json(MIB), [spaces(10), spaces(MIB - 10)], 401],
    ['a body over the limit', 'ada', json(3 * MIB), [spaces(MIB), spaces(MIB), spaces(MIB)], 413],
    ['chunks that nobody reads', '', chunked, ['5\r\nhello\r\n', '0\r\n\r\n'], 401],
    [
      'chunks over the limit',
      'ada',
      chunked,
      [...Array(20).fill(`10000\r\n${' '.repeat(65_536)}\r\n`), '0\r\n\r\n'],
      413,
    ],
    ['chunks that are read', 'ada', chunked, ['2\r\n{}\r\n', '0\r\n\r\n'], 400],
  ] as const)('the request after %s is answered', async (_, who, headers, parts, status) => {
    for (const path of ['/v1/roles/', '/public/v1/roles/']) {
      const { send, answered, statuses, failure } = connection()
      send(head(path, headers, { token: who === 'ada' ? ada.token : '' }))
      for (const part of parts) {
        send(part)
        await Bun.sleep(5)
      }
      await answered(1)
      send(next)
      await answered(2)
      expect({ statuses: statuses(), failure: failure() }).toEqual({ statuses: [status, 200], failure: '' })
    }
  })

  test.each(['GET', 'DELETE'])('the request after a %s with a body is answered', async (method) => {
    const { send, answered, statuses } = connection()
    send(head(`/v1/roles/${crypto.randomUUID()}`, json(MIB), { token: ada.token, method }))
    send(spaces(MIB))
    await answered(1)
    send(next)
    await answered(2)
    expect(statuses()).toEqual([404, 200])
  })

  test('a client that sends 1 MiB gets its 401, not a reset, one time after the other', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const send = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = ask(`${server.url}/v1/roles/`, { method: 'POST', agent, headers }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode))
        })
        sent.on('error', reject)
        sent.end(spaces(MIB))
      })
    const type = { 'content-type': 'application/json' }
    for (let i = 0; i < 5; i++) {
      expect(await send({ ...type, 'content-length': String(MIB) })).toBe(401)
      expect(await send({ ...type, expect: '100-continue', 'content-length': String(MIB) })).toBe(401)
    }
    agent.destroy()
  })
})

test('a method that no request object can have is 405, under an alias, too', async () => {
  for (const path of ['/v1/roles', '/service/v1/roles']) {
    const { send, answered, statuses, text } = connection()
    send(head(path, {}, { method: 'TRACE' }))
    await answered(1)
    expect(statuses()).toEqual([405])
    expect(text()).toMatch(/^x-request-id: /im)
  }
})

test.each([
  ['A trailer', '0\r\nX-Trailer: 1\r\n\r\n'],
  ['An invalid chunk', 'zz\r\n'],
  ['What is no HTTP', '0\r\n\r\nzz\r\n\r\n'],
])('%s after the chunks of a body is 400, and nothing is done', async (_, rest) => {
  for (const delay of [0, 20]) {
    const name = crypto.randomUUID()
    const { send, answered, statuses } = connection()
    send(head('/v1/apps', chunked, ada))
    const body = JSON.stringify({ name })
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n`
    send(delay === 0 ? chunk + rest : chunk)
    await Bun.sleep(delay)
    if (delay > 0) send(rest)
    await answered(1)
    expect(statuses()).toEqual([400])
    await Bun.sleep(100)
    const apps = await ctx.db`select from apps where name = ${name}`
    expect(apps).toHaveLength(0)
  }
})

test('a client that ends its side in the middle of a body leaves nothing behind', async () => {
  for (const headers of [json(100), chunked]) {
    const { socket, send } = connection()
    send(head('/v1/roles', headers, ada))
    send(headers === chunked ? '5\r\n{}   ' : '{}')
    await Bun.sleep(50)
    socket.end()
    await Bun.sleep(50)
    socket.destroy()
  }
  expect((await fetch(`${server.url}/service/health/`, { headers: { host: 'localhost' } })).status).toBe(200)
})

test('a caller with many large bodies under way is 503 beyond its share, and nobody else is', async () => {
  const held = Array.from({ length: 20 }, () => connection())
  for (const { send } of held) send(head('/v1/roles', json(MIB), ada) + ' '.repeat(1000))
  await eventually('four are refused', () => held.flatMap(({ statuses }) => statuses()).length === 4)
  const refused = held.filter(({ statuses }) => statuses().length > 0)
  expect(refused.map(({ statuses }) => statuses())).toEqual([[503], [503], [503], [503]])
  expect(refused[0]?.text()).toMatch(/^retry-after: 1\r$/im)
  expect(refused[0]?.text()).toContain('{"error":"Too many large requests at the moment.')
  const other = await member(ctx, 'admin')
  for (const [token, length] of [
    [other.token, 100_000],
    [ada.token, 100],
  ] as const) {
    const { send, answered, statuses } = connection()
    send(head('/v1/roles', json(length), { token }))
    send(spaces(length))
    await answered(1)
    expect(statuses()).toEqual([400])
  }
  for (const { socket } of held) socket.destroy()
})

/** What a body in chunks is answered, each part of which is sent a little after the one before. */
async function answerInChunks({ token }: Person, ...parts: string[]): Promise<number | undefined> {
  const { send, answered, statuses, socket } = connection()
  send(head('/v1/roles', chunked, { token }))
  for (const part of parts) {
    send(part)
    await Bun.sleep(20)
  }
  send('0\r\n\r\n')
  await answered(1)
  socket.destroy()
  return statuses()[0]
}

test('a caller whose one-byte chunks keep the process busy gets 503 for more of them for a moment, and nobody else does', async () => {
  const other = await member(ctx, 'admin')
  const brief = '2\r\n{}\r\n'
  expect([await answerInChunks(ada, brief), await answerInChunks(other, brief)]).toEqual([400, 400])
  const slow = Array.from({ length: 8 }, () => answerInChunks(ada, brief, '1\r\n \r\n'.repeat(900_000)))
  await eventually('more of them are refused', async () => (await answerInChunks(ada, brief)) === 503, 10)
  expect(await answerInChunks(other, brief)).toBe(400)
  expect(await Promise.all(slow)).toEqual(Array(8).fill(400))
  await eventually('it may send more', async () => (await answerInChunks(ada, brief)) === 400, 10)
}, 60_000)

test('a body with an escape costs nobody time before credentials, and little after them', async () => {
  const body = Buffer.from(`["\\u0061",${'0,'.repeat(499_999)}0]`)
  const ask = async (token: string) => {
    const start = performance.now()
    const { send, answered, statuses } = connection()
    send(head('/v1/roles', json(body.length), { token }))
    send(body)
    await answered(1)
    return { status: statuses()[0], ms: performance.now() - start }
  }
  const stranger = await ask('')
  expect(stranger.status).toBe(401)
  expect(stranger.ms).toBeLessThan(250)
  const caller = await ask(ada.token)
  expect(caller.status).toBe(400)
  expect(caller.ms).toBeLessThan(1000)
})

test.each([
  ['a caller with permission', '/v1/roles', () => ada.token, 400],
  ['a caller without permission', '/v1/roles', () => grace.token, 403],
  ['nobody, to sign in', '/service/auth/password/login', () => '', 400],
])('a body of one-byte chunks from %s takes few reads', async (_, path, token, status) => {
  const { send, answered, statuses } = connection()
  const reads = spyOn(ReadableStreamDefaultReader.prototype, 'read')
  try {
    const chunks = '1\r\na\r\n'.repeat(16_000)
    send(`${head(path, chunked, { token: token() })}${chunks}0\r\n\r\n`)
    await answered(1)
    send(next)
    await answered(2)
    expect(statuses()).toEqual([status, 200])
    expect(reads.mock.calls.length).toBeGreaterThan(0)
    expect(reads.mock.calls.length).toBeLessThan(100)
  } finally {
    reads.mockRestore()
  }
})
