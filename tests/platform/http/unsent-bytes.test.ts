import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { bunServe } from '../../../src/platform/http/serve-bun.ts'
import { eventually } from '../../support/eventually.ts'

const KIB = 1024
const ESTABLISHED = '01'

/** The bytes that the system holds for clients of a port, connection by connection. */
async function heldFor(port: number): Promise<number[]> {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n').slice(1)
  return lines.flatMap((line) => {
    const [, local, , state, queues] = line.trim().split(/\s+/)
    const isOurs =
      state === ESTABLISHED && local?.endsWith(`:${port.toString(16).toUpperCase().padStart(4, '0')}`)
    return isOurs ? [Number.parseInt(queues as string, 16)] : []
  })
}

test('the system holds less than 200 KiB of a large answer for a client that reads nothing', async () => {
  const body = new Blob([new Uint8Array(16 * 1024 * KIB)])
  const server = bunServe({ port: 0, address: '127.0.0.1' }, { fetch: () => new Response(body) }, () =>
    Response.error(),
  )
  const clients = Array.from({ length: 3 }, () => {
    const client = createConnection(server.port, '127.0.0.1')
    client.pause()
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return client
  })
  try {
    await eventually('answers wait for their clients', async () => {
      const held = await heldFor(server.port)
      return held.length === 3 && held.every((bytes) => bytes > 0)
    })
    await Bun.sleep(200)
    for (const bytes of await heldFor(server.port)) expect(bytes).toBeLessThan(200 * KIB)
  } finally {
    for (const client of clients) client.destroy()
    server.cut()
  }
})
