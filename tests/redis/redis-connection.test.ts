import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepConnected } from '../../src/platform/kv/redis-connection.ts'
import { eventually } from '../support/eventually.ts'
import { startRedis } from '../support/redis-server.ts'

test('a silent peer is noticed without a command, and connected to again', async () => {
  const server = await startRedis()
  let connections = 0
  const connected = () => connections++
  const connection = keepConnected({ url: server.url, ca: null }, { connected, failed: () => {} }, 50)
  await eventually('it is connected', () => connections === 1)
  server.pause()
  await eventually('the connection is given up', async () => (await connection.client()) === null)
  server.resume()
  await eventually('it is connected again', () => connections === 2)
  connection.close()
  await server.kill()
}, 60_000)

test('a connection that answers its heartbeats is left alone', async () => {
  const server = await startRedis()
  let connections = 0
  const connected = () => connections++
  const connection = keepConnected({ url: server.url, ca: null }, { connected, failed: () => {} }, 10)
  const client = await connection.client()
  await eventually('many heartbeats have passed', async () => {
    const statistics = String(await server.command('INFO', 'commandstats'))
    return Number(/cmdstat_ping:calls=(\d+)/.exec(statistics)?.[1]) > 30
  })
  expect(await connection.client()).toBe(client)
  expect(connections).toBe(1)
  connection.close()
  await server.kill()
})

test('a connection closed during its start is not opened', async () => {
  const server = await startRedis()
  let calls = 0
  const count = () => calls++
  const connection = keepConnected({ url: server.url, ca: null }, { connected: count, failed: count })
  connection.close()
  expect(await connection.client()).toBeNull()
  expect(calls).toBe(0)
  await server.kill()
})

test('a server is trusted by the certificate that was given, and by no other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-redis-'))
  const certificate = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', certificate.key, '-out', certificate.cert]
  await Bun.$`openssl req -x509 -newkey rsa:2048 -nodes -days 2 ${names} ${files}`.quiet()
  const server = await startRedis(certificate)

  const nothing = () => {}
  const ca = await Bun.file(certificate.cert).text()
  const trusting = keepConnected({ url: server.url, ca }, { connected: nothing, failed: nothing })
  await eventually('it is connected', async () => (await trusting.client()) !== null)

  let failures = 0
  const count = () => failures++
  const doubting = keepConnected({ url: server.url, ca: null }, { connected: nothing, failed: count })
  await eventually('the unknown certificate is refused', () => failures > 1)
  expect(await doubting.client()).toBeNull()

  for (const connection of [trusting, doubting]) connection.close()
  await server.kill()
  await rm(folder, { recursive: true })
})
