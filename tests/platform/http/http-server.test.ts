import { expect, test } from 'bun:test'
import { listen } from '../../../src/platform/http/http-server.ts'
import { startLoad } from '../../support/load.ts'

const server = (fetch: () => Response | Promise<Response>) =>
  listen({ port: 0, address: '127.0.0.1' }, () => fetch)

test('clients that keep their connections lose no request when the server stops', async () => {
  for (let round = 0; round < 3; round++) {
    const old = server(() => new Response('text'))
    const load = startLoad({ url: old.url, host: 'a.example', requests: [{ path: '/' }], perSecond: 1000 })
    await Bun.sleep(300)
    const stopping = old.stop(10)
    await Bun.sleep(300)
    const report = await load.stop()
    await stopping
    expect(report.sent).toBeGreaterThan(300)
    expect(report.reasons).toEqual({})
  }
})

test('while it stops, every answer closes its connection, and it ends soon after the last', async () => {
  const stopped = server(() => new Response('text'))
  expect((await fetch(stopped.url)).headers.get('connection')).not.toBe('close')
  const start = performance.now()
  const stopping = stopped.stop(10)
  expect((await fetch(stopped.url)).headers.get('connection')).toBe('close')
  await stopping
  expect(performance.now() - start).toBeLessThan(3000)
  await expect(fetch(stopped.url)).rejects.toThrow()
})

test('a request under way is answered before the server ends, and is ended when the grace is over', async () => {
  const slow = server(() => Bun.sleep(1000).then(() => new Response('late')))
  const answer = fetch(slow.url).then((response) => response.text())
  await Bun.sleep(50)
  await slow.stop(10)
  expect(await answer).toBe('late')
  const stuck = server(() => new Promise<Response>(() => {}))
  const lost = fetch(stuck.url).catch((error: Error) => error)
  await Bun.sleep(50)
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
