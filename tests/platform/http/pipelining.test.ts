import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { connect } from 'node:net'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { listen } from '../../../src/platform/http/server.ts'
import { countTurns } from '../../support/event-loop.ts'

/** What a connection is answered on which so many requests are sent without waiting for answers. */
async function answersTo(url: string, requests: number, rest = '\r\n', method = 'GET') {
  const { port } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('data', (part) => {
    text += part
    if (text.split('HTTP/1.1 ').length > requests) resolve('answered')
  })
  socket.on('close', () => resolve('closed'))
  socket.write(`${method} / HTTP/1.1\r\nHost: localhost:${port}\r\n${rest}`.repeat(requests))
  const end = await promise
  socket.destroy()
  return { end, answers: text.split('HTTP/1.1 ').length - 1 }
}

test('of thousands of requests sent at once on one connection, a few are answered, and none without an address is handled', async () => {
  const addresses: (string | null)[] = []
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, (peers) => ({
    fetch: (request) => {
      addresses.push(peers.addressOf(request))
      return new Response('text')
    },
  }))
  expect(await answersTo(server.url, 10)).toEqual({ end: 'answered', answers: 10 })
  addresses.length = 0
  const { end, answers } = await answersTo(server.url, 5000)
  expect(end).toBe('closed')
  expect(answers).toBeLessThan(50)
  expect(addresses.length).toBeLessThan(50)
  expect(new Set(addresses)).toEqual(new Set(['127.0.0.1']))
  await server.stop(1)
})

test('of hundreds of connections with a request each, all are answered', async () => {
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    fetch: () => new Response('text'),
  }))
  const all = await Promise.all(Array.from({ length: 400 }, () => answersTo(server.url, 1)))
  expect(all.filter(({ end }) => end !== 'answered')).toEqual([])
  await server.stop(1)
})

test('of requests sent at once with bodies of unknown length, a few are answered and one refused', async () => {
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    fetch: () => new Response('text'),
  }))
  const rest = 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
  expect(await answersTo(server.url, 16, rest, 'POST')).toEqual({ end: 'answered', answers: 16 })
  expect(await answersTo(server.url, 1000, rest, 'POST')).toEqual({ end: 'closed', answers: 17 })
  await server.stop(1)
})

test('requests with bodies of unknown length, each on a connection of its own, begin in the same line as others', async () => {
  let [inTurn, most, isOver] = [0, 0, false]
  const nextTurn = () => {
    inTurn = 0
    if (!isOver) setImmediate(nextTurn)
  }
  setImmediate(nextTurn)
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    fetch: () => {
      most = Math.max(most, ++inTurn)
      return new Response('text')
    },
  }))
  const rest = 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
  const all = await Promise.all(Array.from({ length: 400 }, () => answersTo(server.url, 1, rest, 'POST')))
  isOver = true
  expect(all.filter(({ end }) => end !== 'answered')).toEqual([])
  expect(most).toBeLessThanOrEqual(16)
  await server.stop(1)
})

/** So many connections, and one more, each with a request in the path that `pathOf` tells, all sent at the same moment. */
async function sendAtOnce(url: string, connections: number, pathOf: (index: number) => string) {
  const { port } = new URL(url)
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), '127.0.0.1')
      await once(socket, 'connect')
      return socket
    }),
  )
  for (const [index, socket] of sockets.entries())
    socket.write(`GET ${pathOf(index)} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`)
  return sockets
}

test('of requests with bodies in chunks, 16 of a sender are under way, and others are refused at once', async () => {
  const begun: string[] = []
  const { promise: end, resolve } = Promise.withResolvers<void>()
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    senderOf: ({ url }) => new URL(url).pathname,
    fetch: async ({ url, headers }) => {
      begun.push(`${new URL(url).pathname} ${headers.get('transfer-encoding') ?? 'whole'}`)
      await end
      return new Response('text')
    },
  }))
  const { port } = new URL(server.url)
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'
  const statuses: string[] = []
  const send = (path: string, rest: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('data', (data) => statuses.push(String(data).slice(9, 12)))
    socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${rest}`)
    return socket
  }
  const sockets = Array.from({ length: 20 }, () => send('/many', chunked))
  while (statuses.length < 4) await Bun.sleep(5)
  sockets.push(send('/one', chunked), send('/many', '\r\n'))
  while (begun.length < 18) await Bun.sleep(5)
  const most = Array(16).fill('/many chunked')
  expect(begun.toSorted()).toEqual([...most, '/many whole', '/one chunked'])
  expect(statuses).toEqual(Array(4).fill('503'))
  resolve()
  while (statuses.length < 22) await Bun.sleep(5)
  expect(statuses.slice(4)).toEqual(Array(18).fill('200'))
  for (const socket of sockets) socket.destroy()
  await server.stop(1)
})

test('a connection ends with a GET that has a body in chunks, and not with a POST', async () => {
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    fetch: () => new Response('text'),
  }))
  const { port } = new URL(server.url)
  for (const [method, header] of [
    ['GET', 'close'],
    ['HEAD', 'close'],
    ['POST', undefined],
  ] as const) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${method} / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n`)
    const [answer] = await once(socket, 'data')
    expect([method, /^connection: (.*)\r$/im.exec(String(answer))?.[1]]).toEqual([method, header])
    socket.destroy()
  }
  await server.stop(1)
})

test('a caller with one request begins before the many of another who came first', async () => {
  const { promise: hasBegun, resolve } = Promise.withResolvers<number>()
  let begun = 0
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    senderOf: ({ url }) => new URL(url).pathname,
    fetch: ({ url }) => {
      begun++
      if (new URL(url).pathname === '/one') resolve(begun)
      return new Response('text')
    },
  }))
  const sockets = await sendAtOnce(server.url, 201, (index) => (index < 200 ? '/many' : '/one'))
  expect(await hasBegun).toBeLessThan(60)
  for (const socket of sockets) socket.destroy()
  await server.stop(1)
})

test('of many visitors that wait, four begin in a turn of the event loop', async () => {
  using counted = countTurns()
  const begunAt: number[] = []
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    fetch: () => {
      begunAt.push(counted.turns)
      return new Response('text')
    },
  }))
  const sockets = await sendAtOnce(server.url, 201, () => '/')
  while (begunAt.length < 201) await Bun.sleep(5)
  expect((begunAt.at(-1) ?? 0) - (begunAt[0] ?? 0)).toBeGreaterThan(40)
  for (const socket of sockets) socket.destroy()
  await server.stop(1)
})

test('where turns of the event loop are long, fewer requests begin in each', async () => {
  using counted = countTurns()
  const begunAt: number[] = []
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    senderOf: ({ url }) => url,
    fetch: () => {
      begunAt.push(counted.turns)
      Bun.sleepSync(11)
      return new Response('text')
    },
  }))
  const sockets = await sendAtOnce(server.url, 60, (index) => `/${index}`)
  while (begunAt.length < 60) await Bun.sleep(5)
  const perTurn = [...Map.groupBy(begunAt.slice(-20), (turn) => turn).values()].map(({ length }) => length)
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2)
  for (const socket of sockets) socket.destroy()
  await server.stop(1)
})

test.each([0, 200])(
  'requests whose clients have left keep nobody waiting, beside %i of another caller',
  async (others) => {
    const { promise: hasBegun, resolve } = Promise.withResolvers<number>()
    using counted = countTurns()
    let firstBegunAt: number | null = null
    let left = 0
    const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
      senderOf: ({ url }) => (url.endsWith('/others') ? 'others' : 'the same'),
      fetch: ({ url }) => {
        firstBegunAt ??= counted.turns
        if (url.endsWith('/leaves')) left++
        if (url.endsWith('/stays')) resolve(counted.turns - firstBegunAt)
        return new Response('text')
      },
    }))
    const beside = await sendAtOnce(server.url, others, () => '/others')
    const sockets = await sendAtOnce(server.url, 401, (index) => (index < 400 ? '/leaves' : '/stays'))
    for (const socket of sockets.slice(0, 400)) socket.destroy()
    expect(await hasBegun).toBeLessThan(12)
    expect(left).toBeLessThan(100)
    for (const socket of [...sockets, ...beside]) socket.destroy()
    await server.stop(1)
  },
)

test('large bodies that nobody reads are not kept in memory while their requests wait', async () => {
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    fetch: () => {
      Bun.sleepSync(2)
      return new Response('text')
    },
  }))
  const before = process.memoryUsage.rss()
  const clients = Bun.spawn([process.execPath, '--eval', SENDERS, new URL(server.url).port], {
    stdout: 'pipe',
  })
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before)
  }, 5)
  expect(await new Response(clients.stdout).text()).toBe('500 answers\n')
  clearInterval(timer)
  expect(most).toBeLessThan(200 * 1024 * 1024)
  await server.stop(1)
}, 60_000)

/** Each of 500 clients sends a MiB at once, of a body that has no end. */
const SENDERS = `
  const { connect } = require('node:net')
  const part = '19000\\r\\n' + 'x'.repeat(0x19000) + '\\r\\n'
  let answers = 0
  for (let n = 0; n < 500; n++) {
    const socket = connect(Number(process.argv[1]), '127.0.0.1')
    socket.write('POST / HTTP/1.1\\r\\nHost: localhost\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n' + part.repeat(10))
    socket.once('data', () => {
      if (++answers < 500) return
      console.log(answers + ' answers')
      process.exit()
    })
  }
`
