import { afterEach, expect, test } from 'bun:test'
import { createConnection, type Socket } from 'node:net'
import { eventually } from '../../support/eventually.ts'

const SERVER = `
  import { bunServe } from '${JSON.stringify(`${import.meta.dir}/../../../src/platform/http/serve-bun.ts`).slice(1, -1)}'
  const { port } = bunServe({ port: 0, address: '::' }, { fetch: () => new Response('ok') }, () => Response.error())
  console.log(port)
`
const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const opened: Socket[] = []
const started: Bun.Subprocess[] = []

afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy()
  for (const process of started.splice(0)) {
    process.kill()
    await process.exited
  }
})

/** A server that may have so many files and connections open; gives its port. */
async function serverWith(openFiles: number): Promise<number> {
  const server = Bun.spawn(
    ['sh', '-c', `ulimit -n ${openFiles}; exec "$0" --eval "$1"`, process.execPath, SERVER],
    { stdout: 'pipe' },
  )
  started.push(server)
  const { value } = await server.stdout.getReader().read()
  return Number(new TextDecoder().decode(value))
}

/** Opens a connection from an address, and sends a request on it. */
function connect(port: number, from: string) {
  const socket = createConnection({
    port,
    host: from.includes(':') ? '::1' : '127.0.0.1',
    localAddress: from,
  })
  opened.push(socket)
  let answers = 0
  let isOpen = true
  socket.on('data', () => answers++)
  socket.on('close', () => {
    isOpen = false
  })
  socket.on('error', () => {})
  socket.write(REQUEST)
  const answered = (count: number) => eventually(`${from} is answered`, () => answers === count)
  return { socket, answered, isOpen: () => isOpen }
}

test('idle connections of one address make room for new ones of others, those idle for longest first', async () => {
  const port = await serverWith(400)
  const early = connect(port, '127.0.0.8')
  const flood = Array.from({ length: 200 }, () => connect(port, '127.0.0.9'))
  await early.answered(1)
  await Promise.all(flood.map(({ answered }) => answered(1)))
  await Bun.sleep(50)
  const later = Array.from({ length: 190 }, () => connect(port, '127.0.0.9'))
  const late = Array.from({ length: 20 }, (_, n) => connect(port, `127.0.0.${100 + n}`))
  await Promise.all(late.map(({ answered }) => answered(1)))
  await eventually('idle ones are ended', () => flood.some(({ isOpen }) => !isOpen()))
  await Bun.sleep(500)
  expect([...late, early].filter(({ isOpen }) => !isOpen())).toEqual([])
  expect(later.filter(({ isOpen }) => !isOpen())).toEqual([])
  expect(flood.filter(({ isOpen }) => isOpen()).length).toBeWithin(1, 200)
  early.socket.write(REQUEST)
  await early.answered(2)
})

test('where no address has many, the connections idle for longest make room', async () => {
  const port = await serverWith(200)
  const addresses = Array.from({ length: 130 }, (_, n) => `127.0.1.${1 + n}`)
  const early = addresses.map((address) => connect(port, address))
  await Promise.all(early.map(({ answered }) => answered(1)))
  await Bun.sleep(50)
  const late = Array.from({ length: 50 }, () => connect(port, '::1'))
  await Promise.all(late.map(({ answered }) => answered(1)))
  await eventually('idle ones are ended', () => early.some(({ isOpen }) => !isOpen()))
  await Bun.sleep(500)
  expect(late.filter(({ isOpen }) => !isOpen())).toEqual([])
  expect(early.filter(({ isOpen }) => isOpen()).length).toBeGreaterThan(60)
})

test('nothing is ended while there is room', async () => {
  const port = await serverWith(400)
  const connections = Array.from({ length: 250 }, () => connect(port, '127.0.0.9'))
  await Promise.all(connections.map(({ answered }) => answered(1)))
  await Bun.sleep(1000)
  expect(connections.filter(({ isOpen }) => !isOpen())).toEqual([])
})
