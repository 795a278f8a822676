import { afterAll, beforeAll, expect, test } from 'bun:test'
import { countAttempt } from '../../../src/core/sign-in/sign-in-limits.ts'
import { type TestContext, testConfig, testContext } from '../../support/context.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx.close())

/** How many attempts in a row are let through, of at most `limit` + 1. */
async function letThrough(attempt: (index: number) => Promise<unknown>, limit: number): Promise<number> {
  for (let i = 0; i <= limit; i++) {
    try {
      await attempt(i)
    } catch (error) {
      expect(error).toMatchObject({ status: 429 })
      return i
    }
  }
  return limit + 1
}

test('ten a minute for one account from one address, more from another, and again in the next minute', async () => {
  const from = (address: string) => () => countAttempt(ctx, 'a@example.org', address)
  expect(await letThrough(from('192.0.2.1'), 10)).toBe(10)
  expect(await letThrough(from('192.0.2.2'), 10)).toBe(10)
  ctx.clock.advance(60)
  expect(await letThrough(from('192.0.2.1'), 10)).toBe(10)
})

test('sixty a minute from one address, whatever the accounts; an IPv6 /64 is one address', async () => {
  expect(await letThrough((i) => countAttempt(ctx, `b${i}@example.org`, '192.0.2.3'), 60)).toBe(60)
  const somewhere = (i: number) => `2001:db8:0:1::${i.toString(16)}`
  expect(await letThrough((i) => countAttempt(ctx, `c${i}@example.org`, somewhere(i)), 60)).toBe(60)
  await countAttempt(ctx, 'd@example.org', '2001:db8:0:2::1')
})

test('strangers wait for a password in the turn of their site: an IPv6 /48 is one', async () => {
  for (const address of ['2001:db8:7:1::1', '2001:db8:7:ffff::1'])
    expect(await countAttempt(ctx, 'site@example.org', address)).toEqual({ site: '2001:db8:7::/48' })
})

test('a hundred an hour for one account, from wherever', async () => {
  expect(await letThrough((i) => countAttempt(ctx, 'e@example.org', `198.51.100.${i}`), 100)).toBe(100)
  ctx.clock.advance(3600)
  await countAttempt(ctx, 'e@example.org', '198.51.100.1')
})

test('attempts that an address is refused are not taken from the account', async () => {
  const from = (address: string) => () => countAttempt(ctx, 'g@example.org', address)
  for (let i = 0; i < 120; i++) await from('192.0.2.5')().catch(() => {})
  expect(await letThrough(from('192.0.2.6'), 10)).toBe(10)
})

test('attempts that an address is refused make no rows, whatever accounts they name', async () => {
  const from = (i: number) => countAttempt(ctx, `n${i}@example.org`, '192.0.2.7').catch(() => {})
  const rows = async () => (await ctx.db`select 1 from sign_in_attempts`).length
  for (let i = 0; i < 60; i++) await from(i)
  const before = await rows()
  await Promise.all(Array.from({ length: 40 }, (_, i) => from(60 + i)))
  expect(await rows()).toBe(before)
})

test('after one refused attempt, further ones write nothing to the database until the window ends', async () => {
  const from = (i: number) => countAttempt(ctx, `o${i}@example.org`, '192.0.2.8')
  const counted = async () =>
    (await ctx.db<{ sum: number }[]>`select sum(count)::int from sign_in_attempts`)[0]?.sum
  expect(await letThrough(from, 60)).toBe(60)
  const before = await counted()
  expect(await letThrough(from, 60)).toBe(0)
  expect(await counted()).toBe(before)
  ctx.clock.advance(60)
  expect(await letThrough(from, 60)).toBe(60)
})

test('RATE_LIMIT_AUTH sets the first limit and its window, and says when to come back', async () => {
  const strict = { ...ctx, config: testConfig({ RATE_LIMIT_AUTH: '3/hour' }) }
  const attempt = () => countAttempt(strict, 'f@example.org', '192.0.2.4')
  ctx.clock.advance(3600 - ((ctx.clock.now().getTime() / 1000) % 3600))
  for (let i = 0; i < 3; i++) await attempt()
  ctx.clock.advance(600)
  const error = await attempt().catch((error) => error)
  expect(error.headers).toEqual({
    'retry-after': '3000',
    'ratelimit-limit': '3',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '3000',
  })
})

test('off switches all three off', async () => {
  const free = { ...ctx, config: testConfig({ RATE_LIMIT_AUTH: 'off' }) }
  expect(await letThrough(() => countAttempt(free, 'g@example.org', '192.0.2.5'), 120)).toBe(121)
})

test('the table says neither who nor from where', async () => {
  await countAttempt(ctx, 'somebody@example.org', '192.0.2.99')
  const text = JSON.stringify(await ctx.db`select * from sign_in_attempts`)
  expect(text).not.toContain('somebody')
  expect(text).not.toContain('192.0.2')
})

test('attempts at the same moment are all counted, and none waits for another for ever', async () => {
  const attempts = Array.from({ length: 40 }, (_, i) =>
    countAttempt(ctx, `h${i % 2}@example.org`, `192.0.2.${10 + (i % 3)}`).then(
      () => true,
      () => false,
    ),
  )
  // Two accounts, three addresses: each of the six pairs has six or seven attempts, all within its ten.
  expect(await Promise.all(attempts)).toEqual(Array(40).fill(true))
})
