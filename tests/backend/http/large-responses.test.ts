import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { bodyOf } from '../../../src/backend/http/large-responses.ts'
import { DomainError } from '../../../src/core/errors.ts'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { listen } from '../../../src/platform/http/server.ts'
import { createSendingTurns } from '../../../src/platform/sending-turns.ts'
import type { Sharer } from '../../../src/platform/turn-queues.ts'
import { createUnreadAnswers } from '../../../src/platform/unread-answers.ts'
import { eventually } from '../../support/eventually.ts'

const KIB = 1024
const text = (bytes: number) => 'abcdefgh'.repeat(bytes / 8)

/** Sends responses within a budget of so many bytes for each caller, and four times as many of all. */
function sending(maxBytesEach = 800 * KIB, now?: () => number) {
  const unread = createUnreadAnswers({ maxBytes: 4 * maxBytesEach, maxBytesEach, ...(now && { now }) })
  const waitToSend = createSendingTurns()
  const send = async (response: Response, caller: Sharer, options = {}) => {
    const bytes = new Uint8Array(await response.arrayBuffer())
    return new Response(bodyOf(bytes, { unread, waitToSend }, caller, options), response)
  }
  return { send, unread, bytesInUse: unread.inUse }
}

test('a response is sent as it is, whole or in pieces', async () => {
  const { send, bytesInUse } = sending()
  for (const size of [0, 8, 16 * KIB, 16 * KIB + 8, 640 * KIB, 641 * KIB]) {
    const headers = { 'content-type': 'application/json', 'x-one': '1' }
    const response = await send(new Response(text(size), { status: 201, headers }), 'ada')
    expect(bytesInUse()).toBe(size > 16 * KIB ? size : 0)
    expect([response.status, response.headers.get('content-type'), response.headers.get('x-one')]).toEqual([
      201,
      'application/json',
      '1',
    ])
    expect(await response.text()).toBe(text(size))
    expect(bytesInUse()).toBe(0)
  }
})

test('a caller with too much unread gets 503, others their responses, until it has read or left', async () => {
  const { send, bytesInUse } = sending()
  const large = (caller: string) => send(new Response(text(400 * KIB)), caller)
  const [first, second] = [await large('ada'), await large('ada')]
  const refusal = await large('ada').catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(DomainError)
  expect(refusal).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(await (await send(new Response(text(16 * KIB)), 'ada')).text()).toHaveLength(16 * KIB)
  expect(await (await large('grace')).text()).toHaveLength(400 * KIB)
  await first.text()
  await second.body?.cancel()
  expect(bytesInUse()).toBe(0)
  expect(await (await large('ada')).text()).toHaveLength(400 * KIB)
})

test('service accounts with too much unread leave each other some of their share, and others theirs', async () => {
  const { send } = sending()
  const large = (id: string, responsibleId = 'ada') =>
    send(new Response(text(400 * KIB)), { id, branchId: id, responsibleId }).then(
      ({ status }) => status,
      ({ status }) => status,
    )
  const calls = ['first', 'first', 'first', 'second', 'second', 'ada'] as const
  const statuses: number[] = []
  for (const id of calls) statuses.push(await large(id))
  expect(statuses).toEqual([200, 200, 503, 200, 503, 503])
  expect(await large('grace', 'grace')).toBe(200)
})

test('a change is answered in any case, and its answer counts: the caller has used up its part', async () => {
  const { send, unread, bytesInUse } = sending()
  const change = (caller: string) => send(new Response(text(400 * KIB)), caller, { isOfChange: true })
  const answers = [await change('ada')]
  expect(unread.isUsedUp('ada')).toBe(false)
  for (let more = 0; more < 2; more++) answers.push(await change('ada'))
  expect([bytesInUse(), unread.isUsedUp('ada'), unread.isUsedUp('grace')]).toEqual([1200 * KIB, true, false])
  await expect(send(new Response(text(400 * KIB)), 'ada')).rejects.toMatchObject({ status: 503 })
  for (const answer of answers) expect(await answer.text()).toHaveLength(400 * KIB)
  expect([bytesInUse(), unread.isUsedUp('ada')]).toEqual([0, false])
})

test('where no room is left, the oldest answer of whoever has the most unread is given up for one of somebody else', async () => {
  const { send, bytesInUse } = sending()
  const change = (caller: string) => send(new Response(text(1000 * KIB)), caller, { isOfChange: true })
  const held = [await change('ada'), await change('ada'), await change('grace')]
  const small = await send(new Response(text(100 * KIB)), 'alan')
  expect(bytesInUse()).toBe(3100 * KIB)
  const other = await send(new Response(text(200 * KIB)), 'edsger')
  expect(bytesInUse()).toBe(2300 * KIB)
  expect(await Promise.all([...held, small, other].map(isWhole))).toEqual([false, true, true, true, true])
  expect(bytesInUse()).toBe(0)
})

test('changes are answered within the room for all, however many leave their answers unread', async () => {
  const { send, bytesInUse } = sending()
  const answers: Response[] = []
  for (const caller of ['ada', 'ada', 'ada', 'grace', 'alan', 'edsger', 'donald']) {
    answers.push(await send(new Response(text(800 * KIB)), caller, { isOfChange: true }))
    expect(bytesInUse()).toBeLessThanOrEqual(3200 * KIB)
  }
  expect(await Promise.all(answers.map(isWhole))).toEqual([false, false, false, true, true, true, true])
})

test('answers that have stalled make room for a larger one, those that are read do not', async () => {
  let now = 0
  const { send } = sending(800 * KIB, () => now)
  const large = (caller: string, size = 400 * KIB) => send(new Response(text(size)), caller)
  const started = await Promise.all(Array.from({ length: 8 }, (_, n) => large(`member ${n}`)))
  const readers = started.map(({ body }) => (body as ReadableStream<Uint8Array>).getReader())
  const refusal = await large('ada', 1600 * KIB).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ status: 503 })
  for (let second = 1; second <= 3; second++) {
    now = 1000 * second
    for (const reader of readers.slice(0, 4)) await reader.read()
  }
  expect(await large('ada', 2000 * KIB).catch((error: unknown) => error)).toMatchObject({ status: 503 })
  const whole = await large('ada', 1600 * KIB)
  for (const reader of readers.slice(0, 4)) expect((await reader.read()).done).toBe(false)
  for (const reader of readers.slice(4)) await expect(reader.read()).rejects.toThrow('made room')
  expect(await isWhole(whole)).toBe(true)
})

test('an answer that is read steadily makes no room, except for that of a change', async () => {
  let now = 0
  const { send } = sending(800 * KIB, () => now)
  const large = (caller: string, size: number, options = {}) =>
    send(new Response(text(size)), caller, options)
  const whole = await large('ada', 3200 * KIB)
  const reader = (whole.body as ReadableStream<Uint8Array>).getReader()
  for (let second = 1; second <= 3; second++) {
    now = 1000 * second
    for (let n = 0; n < 8; n++) await reader.read()
    now += 900
    const refusal = await large('grace', 400 * KIB).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ status: 503 })
  }
  expect(await isWhole(await large('grace', 400 * KIB, { isOfChange: true }))).toBe(true)
  await expect(reader.read()).rejects.toThrow('made room')
})

test('whoever has an answer that it does not read gets room only from stalled ones of whoever has more', async () => {
  let now = 0
  const { send } = sending(800 * KIB, () => now)
  const large = (caller: string, size = 400 * KIB) => send(new Response(text(size)), caller)
  for (let n = 0; n < 4; n++) await large(`member ${n}`)
  now = 3000
  const ada = await large('ada', 800 * KIB)
  await large('grace', 800 * KIB)
  expect(await large('member 0', 80 * KIB).catch((error: unknown) => error)).toMatchObject({ status: 503 })
  now = 6000
  expect(await isWhole(await large('member 0', 80 * KIB))).toBe(true)
  expect(await isWhole(ada)).toBe(false)
  expect(await isWhole(await large('alan', 1600 * KIB))).toBe(true)
})

/** Whether a response can be read to its end. */
const isWhole = (response: Response): Promise<boolean> =>
  response.bytes().then(
    () => true,
    () => false,
  )

test('what is not counted is little, however many connections leave it unread', () => {
  const ctx = {
    unread: createUnreadAnswers({ maxBytes: 0, maxBytesEach: 0 }),
    waitToSend: createSendingTurns(),
  }
  expect(() => bodyOf(new Uint8Array(16 * KIB + 1), ctx, 'ada')).toThrow(DomainError)
  expect(bodyOf(new Uint8Array(16 * KIB), ctx, 'ada')).toHaveLength(16 * KIB)
})

describe('on a connection', () => {
  const size = 16 * 1024 * KIB
  const { send, bytesInUse } = sending(size)
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    fetch: ({ url }) => send(new Response(text(size)), new URL(url).pathname, { isOfChange: true }),
  }))
  const sockets: Socket[] = []
  /** A connection of a caller that asks, and reads nothing before it is resumed. */
  const ask = (caller: string): Socket => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.pause()
    socket.on('error', () => {})
    socket.write(`GET /${caller} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    sockets.push(socket)
    return socket
  }
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  afterAll(() => server.stop(0))

  test('what a client does not read is counted until it leaves', async () => {
    for (let n = 0; n < 3; n++) ask('ada')
    await eventually('all three responses are counted', () => bytesInUse() === 3 * size)
    for (const socket of sockets) socket.destroy()
    await eventually('none is counted any more', () => bytesInUse() === 0)
  })

  test('an answer that is given up ends early: the connection is closed without a last chunk', async () => {
    const first = ask('ada')
    await eventually('the first response is counted', () => bytesInUse() === size)
    for (const caller of ['ada', 'grace', 'alan']) ask(caller)
    await eventually('there is no more room', () => bytesInUse() === 4 * size)
    const last = ask('edsger')
    const received = (socket: Socket) =>
      new Promise<string>((resolve) => {
        let end = ''
        socket.on('data', (data) => {
          end = `${end}${data.toString('latin1')}`.slice(-20)
          if (end.endsWith(LAST_CHUNK)) resolve(end)
        })
        socket.on('close', () => resolve(end))
        socket.resume()
      })
    expect(await received(last)).toEndWith(LAST_CHUNK)
    expect(await received(first)).not.toEndWith(LAST_CHUNK)
  })
})

const LAST_CHUNK = '\r\n0\r\n\r\n'
