import { expect, test } from 'bun:test'
import { createBodies, type IncomingBody } from '../../../src/backend/http/body.ts'
import { countTurns } from '../../support/event-loop.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** A body under way, with a length or without, of which `more` and `end` send what has not come yet. */
function sending(
  length: number | null,
  bodies = createBodies(),
  network = 'somewhere',
  knownSender: () => string | null = () => null,
) {
  const channel = new TransformStream<Uint8Array, Uint8Array>()
  const writer = channel.writable.getWriter()
  writer.closed.catch(() => {})
  const request = new Request('http://localhost/v1/roles', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(length !== null && { 'content-length': String(length) }),
    },
    body: channel.readable,
  })
  return {
    body: bodies.arrive(request, '/v1/roles', { site: () => network, knownSender }),
    send: (bytes: Uint8Array) => writer.write(bytes).catch(() => {}),
    more: (bytes: number) => writer.write(new Uint8Array(bytes).fill(32)).catch(() => {}),
    end: () => writer.close().catch(() => {}),
  }
}

const refusal = (reading: Promise<unknown>) =>
  reading.then(
    () => null,
    (error: { status: number; message: string; headers: object }) => ({
      status: error.status,
      error: error.message,
      headers: error.headers,
    }),
  )

const BUSY = {
  status: 503,
  error: 'Too many large requests at the moment. Try again in a second.',
  headers: { 'retry-after': '1' },
}

test('a body is counted from its announcement until its request is answered, read or not', async () => {
  const bodies = createBodies()
  const read = sending(MIB, bodies)
  expect(bodies.bytesInUse()).toBe(MIB)
  const reading = refusal(read.body.read('ada', true))
  expect(bodies.bytesInUse()).toBe(MIB)
  await read.more(10)
  await read.end()
  await reading
  expect(bodies.bytesInUse()).toBe(MIB)
  read.body.discard()
  expect(bodies.bytesInUse()).toBe(0)
  const unread = sending(MIB, bodies)
  unread.body.discard()
  expect(bodies.bytesInUse()).toBe(0)
})

test('a body that does not say its length counts as 1 MiB until it has come whole', async () => {
  const bodies = createBodies()
  const { body, send, end } = sending(null, bodies)
  expect(bodies.bytesInUse()).toBe(MIB)
  const reading = body.read('ada', true)
  expect(bodies.bytesInUse()).toBe(MIB)
  void send(Buffer.from(JSON.stringify('x'.repeat(99_998))))
  void end()
  expect(await reading).toHaveLength(99_998)
  expect(bodies.bytesInUse()).toBe(100_000)
  body.discard()
  expect(bodies.bytesInUse()).toBe(0)
})

test('a body of up to 2 KiB counts as nothing, and a larger one as 64 KiB at least', () => {
  for (const [length, counted] of [
    [2 * KIB, 0],
    [2 * KIB + 1, 64 * KIB],
    [16 * KIB, 64 * KIB],
    [65 * KIB, 65 * KIB],
  ] as const) {
    const bodies = createBodies()
    sending(length, bodies)
    expect(bodies.bytesInUse()).toBe(counted)
  }
})

test('of larger bodies of strangers from many sites, fewer than 1,024 have room before credentials are checked', async () => {
  const bodies = createBodies()
  const waiting = Array.from({ length: 1200 }, (_, site) => sending(16 * KIB, bodies, `site ${site}`).body)
  expect(bodies.bytesInUse()).toBeWithin(63 * MIB, 64 * MIB)
  const [first, last] = [waiting[0], waiting.at(-1)]
  expect(await refusal(last?.read('ada', true) as Promise<unknown>)).toEqual(BUSY)
  const inUse = bodies.bytesInUse()
  first?.discard()
  expect(bodies.bytesInUse()).toBe(inUse - 64 * KIB)
  sending(16 * KIB, bodies, 'another site')
  expect(bodies.bytesInUse()).toBe(inUse)
})

test('bodies that don’t say their length have room for 16 of a site at once, and for 2 of visitors of a site', async () => {
  const bodies = createBodies()
  const open = Array.from({ length: 20 }, () => sending(null, bodies).body)
  expect(bodies.bytesInUse()).toBe(16 * MIB)
  expect(await refusal(open[16]?.read('ada', true) as Promise<unknown>)).toEqual(BUSY)
  for (const body of open.slice(0, 2)) void refusal(body.read('somewhere', false))
  expect(await refusal(open[2]?.read('somewhere', false) as Promise<unknown>)).toEqual(BUSY)
  for (const body of open) body.discard()
  expect(bodies.bytesInUse()).toBe(0)
})

test('a caller has room for 16 MiB of bodies at once, all callers for 64, and small bodies always find room', async () => {
  const bodies = createBodies()
  const underWay: IncomingBody[] = []
  const start = (caller: string, length = MIB) => {
    const { body, send, end } = sending(length, bodies, crypto.randomUUID())
    underWay.push(body)
    const reading = refusal(body.read(caller, true))
    void send(Buffer.from(JSON.stringify('x'.repeat(length - 2))))
    void end()
    return reading
  }
  const callers = [
    ['ada', 16],
    ['bob', 16],
    ['eve', 16],
    // No more than is left for others.
    ['joe', 8],
    ['max', 4],
  ] as const
  for (const [caller, room] of callers) {
    for (let i = 0; i < room; i++) expect(await start(caller)).toBeNull()
    expect(await start(caller)).toEqual(BUSY)
  }
  for (let more = 0; more < 20; more++) await start(`caller ${more}`)
  const inUse = bodies.bytesInUse()
  expect(await start('kim', 300 * KIB)).toBeNull()
  expect(bodies.bytesInUse()).toBeWithin(inUse + 250 * KIB, 64 * MIB)
  const small = sending(KIB, bodies)
  const reading = small.body.read('ada', true)
  await small.end()
  expect(await reading).toBeNull()
  for (const body of underWay) body.discard()
  expect(bodies.bytesInUse()).toBe(0)
})

test('bodies that stall make room for a body of a caller that has less', async () => {
  const bodies = createBodies()
  const start = (caller: string, length: number) => {
    const { body, send, end } = sending(length, bodies, crypto.randomUUID())
    return { body, send, end, reading: refusal(body.read(caller, true)) }
  }
  const stalling = Array.from({ length: 14 }, (_, n) =>
    Array.from({ length: 16 }, () => start(`caller ${n}`, Math.ceil(MIB / 2 ** Math.max(0, n - 5)))),
  ).flat()
  const whole = Buffer.from(JSON.stringify('x'.repeat(MIB - 2)))
  for (const caller of ['ada', 'kim']) {
    const { send, end, reading, body } = start(caller, whole.length)
    void send(whole)
    void end()
    expect(await reading).toBeNull()
    expect(bodies.bytesInUse()).toBeWithin(MIB, 64 * MIB + 1)
    body.discard()
  }
  expect(await stalling[0]?.reading).toEqual({
    status: 503,
    error: 'Too many incomplete requests at the moment. Try again in a second.',
    headers: { connection: 'close', 'retry-after': '1' },
  })
  for (const { body } of stalling) body.discard()
  expect(bodies.bytesInUse()).toBe(0)
})

test('strangers can’t take the room of callers, nor one network that of another', async () => {
  const bodies = createBodies()
  const start = (network: string) => refusal(sending(16 * KIB, bodies, network).body.read(network, false))
  for (let i = 0; i < 32; i++) void start('here')
  expect(await start('here')).toEqual(BUSY)
  const elsewhere = sending(16 * KIB, bodies, 'there')
  const reading = elsewhere.body.read('there', false)
  await elsewhere.end()
  expect(await reading).toBeNull()
  const caller = sending(MIB, bodies, 'here')
  const known = caller.body.read('ada', true)
  await caller.end()
  expect(await known).toBeNull()
})

test('strangers take no room from senders whose credentials were accepted before', async () => {
  const bodies = createBodies()
  for (let n = 0; n < 16; n++) sending(MIB, bodies, 'site 1')
  expect(await refusal(sending(null, bodies, 'site 1').body.read('ada', true))).toEqual(BUSY)
  for (const length of [null, MIB]) {
    const { body, end } = sending(length, bodies, 'site 1', () => 'ada')
    const reading = body.read('ada', true)
    await end()
    expect(await reading).toBeNull()
    body.discard()
  }
  // Nor do those who have such credentials that are valid no more, from anybody who shows others.
  for (let n = 0; n < 40; n++) sending(MIB, bodies, 'site 8', () => 'ada')
  const { body, end } = sending(MIB, bodies, 'site 9', () => 'ada')
  const reading = body.read('ada', true)
  await end()
  expect(await reading).toBeNull()
})

test('whoever finds no room before showing credentials is told so after them', async () => {
  const bodies = createBodies()
  const waiting = Array.from({ length: 16 }, () => sending(MIB, bodies).body)
  const { body } = sending(MIB, bodies)
  expect(bodies.bytesInUse()).toBeLessThanOrEqual(16 * MIB)
  for (const other of waiting) other.discard()
  expect(await refusal(body.read('ada', true))).toEqual(BUSY)
})

test('a body that takes too long is 400, and its connection is closed', async () => {
  for (const length of [MIB, null]) {
    const bodies = createBodies(0.05)
    const { body, more } = sending(length, bodies)
    const reading = refusal(body.read('ada', true))
    void more(10)
    expect(await reading).toEqual({
      status: 400,
      error: 'The body is incomplete, or took longer than 15 seconds.',
      headers: { connection: 'close' },
    })
    body.discard()
    expect(bodies.bytesInUse()).toBe(0)
  }
})

test('of 2,049 small bodies that visitors have begun to send, the first is refused', async () => {
  const bodies = createBodies()
  const start = (network: string, isKnown = false) => {
    const { body, send, end } = sending(1000, bodies, network)
    return { send, end, reading: refusal(body.read(network, isKnown)) }
  }
  const caller = start('ada', true)
  const first = start('here')
  const others = Array.from({ length: 2048 }, (_, i) => start(`network ${i}`))
  expect(await first.reading).toEqual({
    status: 503,
    error: 'Too many incomplete requests at the moment. Try again in a second.',
    headers: { connection: 'close', 'retry-after': '1' },
  })
  for (const { send, end, reading } of [caller, others[0], others.at(-1)].filter(
    (one) => one !== undefined,
  )) {
    void send(Buffer.from('{}'))
    void end()
    expect(await reading).toBeNull()
  }
})

test('a body in chunks of any sizes is read as the bytes that they are together', async () => {
  const text = JSON.stringify({ name: 'Añ😀'.repeat(20_000), tags: ['x', 1, null] })
  const bytes = Buffer.from(text)
  for (const sizes of [[1, 2, 3], [1, 50_000], [bytes.length]]) {
    const { body, send, end } = sending(null)
    const reading = body.read('ada', true)
    for (let at = 0, i = 0; at < bytes.length; i++) {
      // Small chunks at the beginning and large ones after it, or the test would take a turn for each byte.
      const size = i < 300 ? (sizes[i % sizes.length] ?? 1) : 30_000
      void send(bytes.subarray(at, at + size))
      at += size
    }
    void end()
    expect(await reading).toEqual(JSON.parse(text))
  }
})

test('the event loop takes a turn between two chunks that have come already', async () => {
  const chunks = 500
  let left = chunks
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => (left-- > 0 ? controller.enqueue(Buffer.from(' ')) : controller.close()),
  })
  using loop = countTurns()
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://localhost/v1/roles', { method: 'POST', headers, body: stream })
  const reading = createBodies()
    .arrive(request, '/v1/roles', { site: () => 'somewhere', knownSender: () => null })
    .read('ada', true)
  await refusal(reading)
  expect(loop.turns).toBeGreaterThanOrEqual(chunks)
})
