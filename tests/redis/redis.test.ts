import { afterAll, afterEach, expect, test } from 'bun:test'
import { type Clock, fakeClock, systemClock } from '../../src/platform/clock.ts'
import type { Kv } from '../../src/platform/kv/kv.ts'
import { openKv } from '../../src/platform/kv/open.ts'
import { openRedisKv } from '../../src/platform/kv/redis.ts'
import { kvContract } from '../platform/kv/kv.contract.ts'
import { eventually } from '../support/eventually.ts'
import { recordedLog } from '../support/log-recorder.ts'
import { type RedisServer, startRedis } from '../support/redis-server.ts'

// Generous where speed is not the point, so that a busy machine makes no test fail.
const PATIENT_MS = 10_000
const opened: Kv[] = []
const redis = await startRedis()

afterEach(async () => {
  for (const kv of opened.splice(0)) await kv.close()
})
afterAll(() => redis.kill())

function open(options: { url?: string; clock?: Clock; answerWithinMs?: number } = {}) {
  const { url = redis.url, clock = systemClock } = options
  const recorder = recordedLog()
  const kv = openKv({ kind: 'redis', url, ca: null }, clock, recorder.log, {
    openRedis: openRedisKv,
    timeoutMs: options.answerWithinMs,
  })
  opened.push(kv)
  return { kv, ...recorder }
}

const answers = (kv: Kv) => eventually('Redis is used', () => kv.ping())

async function elapsedMs(action: () => Promise<unknown>) {
  const start = performance.now()
  await action()
  return performance.now() - start
}

kvContract('on Redis', true, async () => {
  const config = { kind: 'redis', url: redis.url, ca: null } as const
  const kv = openKv(config, systemClock, recordedLog().log, {
    openRedis: openRedisKv,
    timeoutMs: PATIENT_MS,
  })
  return { kv, advance: () => {}, close: kv.close }
})

test('two processes on one Redis count together and wake each other', async () => {
  const [one, other] = [open({ answerWithinMs: PATIENT_MS }).kv, open({ answerWithinMs: PATIENT_MS }).kv]
  let woken = false
  await one.subscribe('together', () => {
    woken = true
  })
  await one.increment('together', 60)
  expect((await other.increment('together', 60))?.count).toBe(2)
  await other.publish('together')
  await eventually('the other process is woken', () => woken)
})

test('a counter is never without an expiry, even when the window makes no sense', async () => {
  const { kv } = open({ answerWithinMs: PATIENT_MS })
  await kv.increment('expiring', 60)
  expect(await redis.command('TTL', 'keyward:expiring')).toBeWithin(1, 61)
  expect(await kv.increment('senseless', 0.5)).toBeNull()
  expect(await redis.command('EXISTS', 'keyward:senseless')).toBe(0)
})

test('after FLUSHALL counting starts again', async () => {
  const { kv } = open({ answerWithinMs: PATIENT_MS })
  await kv.increment('wiped', 60)
  await redis.command('FLUSHALL')
  expect((await kv.increment('wiped', 60))?.count).toBe(1)
})

test('a process that was busy for longer than an answer may take still sees the answer', async () => {
  const { kv, warnings } = open()
  await answers(kv)
  const answer = kv.increment('busy', 60)
  // One turn of the loop sends the command; then nothing is read for twice the time.
  await new Promise((resolve) => setImmediate(resolve))
  Bun.sleepSync(500)
  expect((await answer)?.count).toBe(1)
  expect(warnings()).toEqual([])
})

async function outage(
  server: RedisServer,
  end: () => void | Promise<void>,
  resume: () => void | Promise<void>,
) {
  const { kv, lines, warnings } = open({ url: server.url })
  let wakeUps = 0
  await answers(kv)
  await kv.subscribe('outage', () => wakeUps++)
  await end()
  const ms = await elapsedMs(async () => {
    for (let attempt = 0; attempt < 50; attempt++) expect(await kv.increment('outage', 60)).toBeNull()
  })
  // One wait for an answer at most, not one for each of the fifty.
  expect(ms).toBeLessThan(2000)
  expect(await kv.ping()).toBe(false)
  expect(await kv.publish('outage')).toBeUndefined()
  expect(await elapsedMs(() => kv.subscribe('during the outage', () => {}))).toBeLessThan(1000)
  await eventually('the outage is logged', () => warnings().length > 0)

  await resume()
  await answers(kv)
  expect((await kv.increment('outage', 60))?.count).toBeNumber()
  return { kv, lines, warnings, wakeUps: () => wakeUps }
}

test('a killed Redis answers null at once, and is used again when it is back', async () => {
  const server = await startRedis()
  const { kv, lines, warnings, wakeUps } = await outage(server, server.kill, server.start)
  await eventually('subscribers are woken once, for what they may have missed', () => wakeUps() === 1)
  await kv.publish('outage')
  await eventually('subscribers are woken by messages again', () => wakeUps() === 2)
  expect(warnings()).toHaveLength(1)
  expect(lines.join('')).toContain('Redis responds again')
  expect(lines.join('')).not.toContain(encodeURIComponent(server.password))
  expect(lines.join('')).not.toContain(server.password)
  expect(lines.join('')).not.toContain(`:${server.port}`)
  await server.kill()
}, 60_000)

test('a Redis that stalls with its connections open is as good as gone, and is used again afterwards', async () => {
  const server = await startRedis()
  const { warnings } = await outage(server, server.pause, server.resume)
  expect(warnings()).toHaveLength(1)
  expect(warnings()[0]).toContain('TimeoutError')
  await server.kill()
}, 60_000)

test('a Redis that is restarted many times in a row is used again each time', async () => {
  const server = await startRedis()
  const { kv } = open({ url: server.url })
  for (let restart = 0; restart < 5; restart++) {
    await answers(kv)
    const during = Promise.all(Array.from({ length: 50 }, () => kv.increment('restarts', 60)))
    await server.kill()
    await during
    await server.start()
  }
  await answers(kv)
  await server.kill()
}, 60_000)

test('a Redis that is only started later is used from then on', async () => {
  const server = await startRedis()
  await server.kill()
  const { kv } = open({ url: server.url })
  let woken = false
  await kv.subscribe('late', () => {
    woken = true
  })
  expect(await kv.increment('late', 60)).toBeNull()
  await server.start()
  await answers(kv)
  await eventually('the subscription made before works', async () => {
    await kv.publish('late')
    return woken
  })
  await server.kill()
}, 60_000)

test('a wrong password is one warning a minute that says so, and no exception', async () => {
  const clock = fakeClock()
  const wrong = redis.url.replace(/:[^:@]+@/, ':a-wrong-one@')
  const { kv, lines, warnings } = open({ url: wrong, clock })
  expect(await kv.increment('refused', 60)).toBeNull()
  expect(await kv.ping()).toBe(false)
  await kv.subscribe('refused', () => {})
  await eventually('it is logged', () => warnings().length === 1)
  expect(warnings()[0]).toContain('WRONGPASS')
  // Several attempts come and go within this time.
  await Bun.sleep(1500)
  expect(warnings()).toHaveLength(1)
  clock.advance(60)
  await eventually('it is logged again a minute later', () => warnings().length === 2)
  expect(lines.join('')).not.toContain('a-wrong-one')
})

test('an address that can not be one is a warning and no exception', async () => {
  const { kv, lines, warnings } = open({ url: 'gopher://:a-password@nowhere' })
  expect(await kv.increment('nowhere', 60)).toBeNull()
  await eventually('it is logged', () => warnings().length === 1)
  expect(lines.join('')).not.toContain('a-password')
})

test('after a close nothing answers, nothing throws and nothing connects again', async () => {
  const { kv, warnings } = open()
  await answers(kv)
  await kv.subscribe('closed', () => {})
  await kv.close()
  await kv.close()
  expect(await kv.increment('closed', 60)).toBeNull()
  expect(await kv.publish('closed')).toBeUndefined()
  expect(await kv.ping()).toBe(false)
  await eventually('no connection of it is left', async () => {
    const clients = String(await redis.command('CLIENT', 'LIST'))
    return clients.split('\n').every((line) => !line.includes('cmd=subscribe'))
  })
  expect(warnings()).toEqual([])
})
