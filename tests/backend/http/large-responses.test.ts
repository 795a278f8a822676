import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { createLargeResponses } from '../../../src/backend/http/large-responses.ts'
import { DomainError } from '../../../src/core/errors.ts'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { listen } from '../../../src/platform/http/server.ts'
import { eventually } from '../../support/eventually.ts'

const KIB = 1024
const text = (bytes: number) => 'abcdefgh'.repeat(bytes / 8)
const limits = { maxBytes: 1600 * KIB, maxBytesEach: 800 * KIB }

test('a response is sent as it is, whole or in pieces', async () => {
  const { send, bytesInUse } = createLargeResponses(limits)
  for (const size of [0, 8, 256 * KIB, 256 * KIB + 8, 640 * KIB, 641 * KIB]) {
    const headers = { 'content-type': 'application/json', 'x-one': '1' }
    const response = await send(new Response(text(size), { status: 201, headers }), 'ada')
    expect(bytesInUse()).toBe(size > 256 * KIB ? size : 0)
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
  const { send, bytesInUse } = createLargeResponses(limits)
  const large = (caller: string) => send(new Response(text(400 * KIB)), caller)
  const [first, second] = [await large('ada'), await large('ada')]
  const refusal = await large('ada').catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(DomainError)
  expect(refusal).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
  expect(await (await send(new Response(text(256 * KIB)), 'ada')).text()).toHaveLength(256 * KIB)
  expect(await (await large('grace')).text()).toHaveLength(400 * KIB)
  await first.text()
  await second.body?.cancel()
  expect(bytesInUse()).toBe(0)
  expect(await (await large('ada')).text()).toHaveLength(400 * KIB)
})

test('service accounts with too much unread leave each other some of their share, and others theirs', async () => {
  const { send } = createLargeResponses(limits)
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

test('a client that reads nothing is counted until it leaves', async () => {
  const size = 16 * 1024 * KIB
  const { send, bytesInUse } = createLargeResponses({ maxBytes: 4 * size, maxBytesEach: 4 * size })
  const server = listen(
    bunServe,
    { port: 0, address: '127.0.0.1' },
    () => () => send(new Response(text(size)), 'ada'),
  )
  const sockets = [1, 2, 3].map(() => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.pause()
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return socket
  })
  try {
    await eventually('all three responses are counted', () => bytesInUse() === 3 * size)
    for (const socket of sockets) socket.destroy()
    await eventually('none is counted any more', () => bytesInUse() === 0)
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.stop(0)
  }
})
