import { afterAll, expect, test } from 'bun:test'
import { describeLoad, startLoad } from './load.ts'

const connections = new Set<unknown>()
const hosts = new Set<string | null>()
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: (request): Response => {
    const { pathname } = new URL(request.url)
    hosts.add(request.headers.get('host'))
    connections.add(server.requestIP(request)?.port)
    return new Response('text', { status: pathname === '/refused' ? 400 : 200 })
  },
})
const url = `http://127.0.0.1:${server.port}`

afterAll(() => server.stop(true))

test('a load keeps to its rate, names the Host, and opens a connection for every other request', async () => {
  const load = startLoad({ url, host: 'keyward.example.org', requests: [{ path: '/' }], perSecond: 50 })
  await Bun.sleep(1000)
  const report = await load.stop()
  expect(report).toMatchObject({ failed: 0, reasons: {} })
  expect(report.sent).toBeWithin(30, 60)
  expect([...hosts]).toEqual(['keyward.example.org'])
  expect(connections.size).toBeGreaterThanOrEqual(Math.floor(report.sent / 2))
  expect(connections.size).toBeLessThan(report.sent)
})

test('every request that is not answered with 200 counts as failed, with its reason', async () => {
  const requests = [{ path: '/refused' }, { path: '/' }]
  const load = startLoad({ url, host: 'a.example', requests, perSecond: 50 })
  await Bun.sleep(400)
  const report = await load.stop()
  expect(report.failed).toBe(Math.ceil(report.sent / 2))
  expect(report.reasons).toEqual({ '/refused: status 400': report.failed })
  expect(describeLoad('a check', report)).toContain(`${report.failed} failed`)
})

test('where nobody listens, all of a load fails', async () => {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  probe.stop(true)
  const load = startLoad({
    url: `http://127.0.0.1:${probe.port}`,
    host: 'a.example',
    requests: [{ path: '/' }],
  })
  await Bun.sleep(300)
  const report = await load.stop()
  expect(report.sent).toBeGreaterThan(3)
  expect(report.failed).toBe(report.sent)
})

test('a request whose kept connection is cut counts as failed', async () => {
  let cut = 0
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
  const cutting = Bun.listen<{ requests: number }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (socket) => {
        socket.data = { requests: 0 }
      },
      data: (socket) => {
        if (++socket.data.requests === 1) return void socket.write(answer)
        cut++
        socket.terminate()
      },
    },
  })
  const cuttingUrl = `http://127.0.0.1:${cutting.port}`
  const load = startLoad({ url: cuttingUrl, host: 'a.example', requests: [{ path: '/' }], perSecond: 50 })
  await Bun.sleep(600)
  const report = await load.stop()
  cutting.stop(true)
  expect(cut).toBeGreaterThan(3)
  expect(report.failed).toBe(cut)
})

test('a load ends by itself, which counts as a failure', async () => {
  const load = startLoad({ url, host: 'a.example', requests: [{ path: '/' }], maxSeconds: 0.2 })
  await Bun.sleep(700)
  const { sent, failed, reasons } = await load.stop()
  expect(sent).toBeWithin(1, 12)
  expect({ failed, reasons }).toEqual({ failed: 1, reasons: { 'the load had ended, after 0.2 s': 1 } })
})

test('a request has a body of its own each time, and those that were taken are told', async () => {
  let number = 0
  const body = () => `${++number}`
  const requests = ['/', '/refused'].map((path) => ({ method: 'PUT', path, body }))
  const load = startLoad({ url, host: 'a.example', requests, perSecond: 50 })
  await Bun.sleep(300)
  const { sent, acknowledged } = await load.stop()
  const taken = Array.from({ length: Math.ceil(sent / 2) }, (_, index) => 2 * index + 1)
  expect(acknowledged.map(Number).sort((a, b) => a - b)).toEqual(taken)
})
