import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { bodyOf } from '../../../src/backend/http/large-responses.ts'
import { DomainError } from '../../../src/core/errors.ts'
import { createBudget } from '../../../src/platform/budget.ts'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { listen } from '../../../src/platform/http/server.ts'
import type { Sharer } from '../../../src/platform/turn-queues.ts'
import { eventually } from '../../support/eventually.ts'

const KIB = 1024
const text = (bytes: number) => 'abcdefgh'.repeat(bytes / 8)

/** Sends responses within a budget of so many bytes for each caller, and four times as many of all. */
function sending(maxBytesEach = 800 * KIB) {
  const budget = createBudget({ maxBytes: 4 * maxBytesEach, maxBytesEach })
  const send = async (response: Response, caller: Sharer, options = {}) => {
    const bytes = new Uint8Array(await response.arrayBuffer())
    return new Response(bodyOf(bytes, budget, caller, options), response)
  }
  return { send, budget, bytesInUse: budget.inUse }
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
  const { send, budget, bytesInUse } = sending()
  const change = (caller: string) => send(new Response(text(400 * KIB)), caller, { isOfChange: true })
  const answers = [await change('ada')]
  expect(budget.isUsedUp('ada')).toBe(false)
  for (let more = 0; more < 2; more++) answers.push(await change('ada'))
  expect([bytesInUse(), budget.isUsedUp('ada'), budget.isUsedUp('grace')]).toEqual([1200 * KIB, true, false])
  await expect(send(new Response(text(400 * KIB)), 'ada')).rejects.toMatchObject({ status: 503 })
  for (const answer of answers) expect(await answer.text()).toHaveLength(400 * KIB)
  expect([bytesInUse(), budget.isUsedUp('ada')]).toEqual([0, false])
})

test('where nothing is left, those with something unread have used up their part', async () => {
  const { send, budget } = sending()
  for (const caller of ['ada', 'grace', 'alan', 'edsger', 'donald', 'tony', 'niklaus', 'john']) {
    await send(new Response(text(400 * KIB)), caller, { isOfChange: true })
  }
  expect(['ada', 'barbara'].map(budget.isUsedUp)).toEqual([true, false])
})

test('what is not counted is little, however many connections leave it unread', () => {
  const budget = createBudget({ maxBytes: 0, maxBytesEach: 0 })
  expect(() => bodyOf(new Uint8Array(16 * KIB + 1), budget, 'ada')).toThrow(DomainError)
  expect(bodyOf(new Uint8Array(16 * KIB), budget, 'ada')).toHaveLength(16 * KIB)
})

test('a client that reads nothing is counted until it leaves', async () => {
  const size = 16 * 1024 * KIB
  const { send, bytesInUse } = sending(4 * size)
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    fetch: () => send(new Response(text(size)), 'ada'),
  }))
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
