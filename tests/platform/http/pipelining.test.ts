import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { listen } from '../../../src/platform/http/server.ts'

/** What a connection is answered on which so many requests are sent without waiting for answers. */
async function answersTo(url: string, requests: number) {
  const { port } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('data', (part) => {
    text += part
    if (text.split('HTTP/1.1 ').length > requests) resolve('answered')
  })
  socket.on('close', () => resolve('closed'))
  socket.write(`GET / HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`.repeat(requests))
  const end = await promise
  socket.destroy()
  return { end, answers: text.split('HTTP/1.1 ').length - 1 }
}

test('of thousands of requests sent at once on one connection, a few are answered, and none without an address is handled', async () => {
  const addresses: (string | null)[] = []
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, (peers) => (request) => {
    addresses.push(peers.addressOf(request))
    return new Response('text')
  })
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
  const server = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => () => new Response('text'))
  const all = await Promise.all(Array.from({ length: 400 }, () => answersTo(server.url, 1)))
  expect(all.filter(({ end }) => end !== 'answered')).toEqual([])
  await server.stop(1)
})
