import { afterAll, expect, test } from 'bun:test'
import { Redis } from '@upstash/redis'
import { type Clock, fakeClock, systemClock } from '../../src/platform/clock.ts'
import type { Kv } from '../../src/platform/kv/kv.ts'
import { openKv } from '../../src/platform/kv/open.ts'
import { kvContract } from '../platform/kv/kv.contract.ts'
import { eventually } from '../support/eventually.ts'
import { recordedLog } from '../support/log-recorder.ts'
import { startRedis } from '../support/redis-server.ts'
import { startUpstashFront } from '../support/upstash-server.ts'

// Generous where speed is not the point, so that a busy machine makes no test fail.
const PATIENT_MS = 10_000
const redis = await startRedis()
const front = startUpstashFront(redis.url)

afterAll(async () => {
  await front.stop()
  await redis.kill()
})

function open(
  options: { url?: string; token?: string; clock?: Clock; answerWithinMs?: number } = {},
): { kv: Kv } & ReturnType<typeof recordedLog> {
  const { url = front.url, token = front.token, clock = systemClock } = options
  const recorder = recordedLog()
  return {
    kv: openKv({ kind: 'upstash', url, token }, clock, recorder.log, {
      openRedis: null,
      timeoutMs: options.answerWithinMs,
    }),
    ...recorder,
  }
}

const answers = (kv: Kv) => eventually('the store is used', () => kv.ping())

kvContract('on Upstash', false, async () => {
  const { kv } = open({ answerWithinMs: PATIENT_MS })
  return { kv, advance: () => {}, close: kv.close }
})

test('the front speaks pipelines, transactions and base64 as the client of Upstash expects', async () => {
  const client = new Redis({ url: front.url, token: front.token, enableTelemetry: false })
  expect(await client.set('front', 'größer')).toBe('OK')
  expect(await client.get<string>('front')).toBe('größer')
  expect(await client.get('nothing')).toBeNull()
  expect(await client.pipeline().incr('front:n').incr('front:n').get('front').exec()).toEqual([
    1,
    2,
    'größer',
  ])
  expect(
    await client.multi().incr('front:n').rpush('front:l', 'ä', 'b').lrange('front:l', 0, -1).exec(),
  ).toEqual([3, 2, ['ä', 'b']])
  await expect(client.incr('front')).rejects.toThrow('not an integer')
})

test('a wake-up is published to the Redis behind it', async () => {
  const listener = new Bun.RedisClient(redis.url)
  const heard: string[] = []
  await listener.subscribe('keyward:jobs', (_message, channel) => heard.push(channel))
  await open({ answerWithinMs: PATIENT_MS }).kv.publish('jobs')
  await eventually('the listener is woken', () => heard.length > 0)
  expect(heard).toEqual(['keyward:jobs'])
  listener.close()
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

async function outage(end: () => void | Promise<void>, resume: () => void | Promise<void>) {
  const { kv, lines, warnings } = open()
  await answers(kv)
  await end()
  const start = performance.now()
  for (let attempt = 0; attempt < 50; attempt++) expect(await kv.increment('outage', 60)).toBeNull()
  // One wait for an answer at most each second, not one for each of the fifty.
  expect(performance.now() - start).toBeLessThan(2000)
  expect(await kv.ping()).toBe(false)
  expect(await kv.publish('outage')).toBeUndefined()

  await resume()
  await answers(kv)
  expect((await kv.increment('outage', 60))?.count).toBeNumber()
  expect(warnings()).toHaveLength(1)
  expect(lines.join('')).toContain('Upstash responds again')
  expect(lines.join('')).not.toContain(front.token)
  expect(lines.join('')).not.toContain(front.url)
  return warnings()[0]
}

test('an endpoint that refuses connections answers null at once, and is used again when it is back', async () => {
  await outage(front.stop, front.start)
})

test('a Redis killed behind the endpoint answers null at once, and is used again when it is back', async () => {
  const warning = await outage(redis.kill, redis.start)
  expect(warning).toContain('UpstashError')
})

test('an endpoint that stalls is as good as gone, and is used again afterwards', async () => {
  const warning = await outage(redis.pause, redis.resume)
  expect(warning).toContain('TimeoutError')
})

test('an increment is sent once, even when its answer is lost', async () => {
  let requests = 0
  const rude = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        requests++
        socket.terminate()
      },
    },
  })
  const { kv, warnings } = open({ url: `http://127.0.0.1:${rude.port}`, answerWithinMs: PATIENT_MS })
  expect(await kv.increment('lost', 60)).toBeNull()
  expect(warnings()).toHaveLength(1)
  expect(requests).toBe(1)
  rude.stop(true)
})

test('a wrong token is one warning a minute and no exception', async () => {
  const clock = fakeClock()
  const { kv, lines, warnings } = open({ token: 'a-wrong-one', clock })
  expect(await kv.increment('refused', 60)).toBeNull()
  await eventually('it is asked again, to no avail', async () => {
    expect(await kv.increment('refused', 60)).toBeNull()
    clock.advance(1)
    return warnings().length === 2
  })
  expect(lines.join('')).not.toContain('a-wrong-one')
  expect(clock.now().getTime()).toBeGreaterThanOrEqual(Date.parse('2026-01-01T00:01:00Z'))
})
