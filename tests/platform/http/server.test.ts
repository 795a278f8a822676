import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { listen } from '../../../src/platform/http/server.ts'
import { eventually } from '../../support/eventually.ts'

const server = (fetch: () => Response | Promise<Response>) =>
  listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({ fetch }))

test('clients that keep their connections lose no request when the server stops', async () => {
  for (let round = 0; round < 3; round++) {
    const old = server(() => new Response('text'))
    const clients = startClients(old.url, 16)
    await clients.answered(200)
    const stopping = old.stop(10)
    await clients.answered(200)
    await clients.stop()
    await stopping
    expect(clients.lost).toEqual([])
  }
})

test('requests that come while a server that stops stalls are answered', async () => {
  for (let round = 0; round < 2; round++) {
    const stalled = server(() => new Response('text'))
    const client = Bun.spawn([process.execPath, '--eval', PACED_CLIENT, stalled.url])
    const answers = client.stdout.pipeThrough(new TextDecoderStream()).getReader()
    await answers.read()
    const stopping = stalled.stop(10)
    Bun.sleepSync(1200)
    await stopping
    let last = ''
    for (let read = await answers.read(); !read.done; read = await answers.read()) last = read.value
    expect(last).toBe('close\n')
  }
}, 60_000)

/** Sends a request each tenth of a second on a kept connection, and says what becomes of each, until the server closes it. */
const PACED_CLIENT = `
  const { Agent, request } = require('node:http')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = () =>
    request(process.argv[1], { agent }, (answer) => {
      const { connection = 'keep-alive' } = answer.headers
      console.log(connection)
      if (connection !== 'close') setTimeout(send, 100)
      answer.resume()
    })
      .on('error', ({ code }) => console.log(code))
      .end()
  send()
`

test.each([
  ['with a length', Buffer.alloc(100_000, 'x')],
  ['in chunks', new Blob(['x'.repeat(100_000)]).stream()],
])('a body %s that was not read is forgotten once its request is answered', async (_, body) => {
  const requests: Request[] = []
  const refusing = listen(bunServe, { port: 0, address: '127.0.0.1' }, () => ({
    fetch: async (request) => {
      requests.push(request)
      await Bun.sleep(50)
      return new Response('no', { status: 401 })
    },
  }))
  const { status } = await fetch(refusing.url, { method: 'POST', body })
  expect(status).toBe(401)
  const left = await requests[0]?.text().catch(() => '')
  expect(left).toBe('')
  await refusing.stop(1)
})

test('a port that another Keyward listens on is refused', async () => {
  const first = server(() => new Response('first'))
  const port = Number(new URL(first.url).port)
  const second = () =>
    listen(bunServe, { port, address: '127.0.0.1' }, () => ({ fetch: () => new Response('second') }))
  expect(second).toThrow(`Port ${port} on 127.0.0.1 is taken: set PORT to another one.`)
  await first.stop(1)
})

test('a process that serves has at most 8,192 connections and files open', async () => {
  const serving = server(() => new Response('text'))
  const [, openFiles] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  expect(Number(openFiles)).toBeWithin(1, 8193)
  await serving.stop(1)
})

/** Clients that each send one request after the other on a kept connection, until told to stop or one is lost. */
function startClients(url: string, count: number) {
  const lost: unknown[] = []
  let answers = 0
  let isStopping = false
  const clients = Array.from({ length: count }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isStopping && lost.length === 0) {
      await get(url, agent).then(
        () => answers++,
        (error: unknown) => lost.push(error),
      )
    }
    agent.destroy()
  })
  return {
    lost,
    answered: (more: number) => {
      const wanted = answers + more
      return eventually(`${more} more answers`, () => answers >= wanted || lost.length > 0, 20)
    },
    stop: async () => {
      isStopping = true
      await Promise.all(clients)
    },
  }
}

// Not `fetch`, which repeats a request whose kept connection was cut.
function get(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent }, (response) =>
      response.on('end', resolve).on('error', reject).resume(),
    )
    sent.on('error', reject).end()
  })
}

test('while the server stops, every answer closes its connection, and the server ends soon after the last', async () => {
  const stopped = server(() => new Response('text'))
  expect((await fetch(stopped.url)).headers.get('connection')).not.toBe('close')
  const start = performance.now()
  const stopping = stopped.stop(10)
  expect((await fetch(stopped.url)).headers.get('connection')).toBe('close')
  await stopping
  expect(performance.now() - start).toBeLessThan(4500)
  await expect(fetch(stopped.url)).rejects.toThrow()
})

test('a request under way is answered before the server ends', async () => {
  const arrived = Promise.withResolvers<void>()
  const slow = server(() => {
    arrived.resolve()
    return Bun.sleep(1000).then(() => new Response('late'))
  })
  const answer = fetch(slow.url).then((response) => response.text())
  await arrived.promise
  await slow.stop(10)
  expect(await answer).toBe('late')
})

test('a request under way is cut when the grace period is over', async () => {
  const arrived = Promise.withResolvers<void>()
  const stuck = server(() => {
    arrived.resolve()
    return new Promise<Response>(() => {})
  })
  const lost = fetch(stuck.url).catch((error: Error) => error)
  await arrived.promise
  await stuck.stop(1)
  expect(await lost).toBeInstanceOf(Error)
})

test('what a handler throws is a 500 with the headers of every answer', async () => {
  const broken = server(() => {
    throw new Error('secret words')
  })
  const response = await fetch(broken.url)
  expect(await response.json()).toEqual({
    error: "Internal error. The log has the details under the request's id.",
  })
  expect(response.status).toBe(500)
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('cache-control')).toBe('no-store')
  await broken.stop(1)
})
