import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Kv } from '../../../src/platform/kv/kv.ts'
import { eventually } from '../../support/eventually.ts'

/** A store under test; `advance` moves its clock where that is ours to move, and does nothing elsewhere. */
export type KvUnderTest = { kv: Kv; advance(seconds: number): void; close(): Promise<void> }

/** What every store promises while it is up. `wakes` says whether its subscriptions hear anything. */
export function kvContract(name: string, wakes: boolean, open: () => Promise<KvUnderTest>): void {
  describe(name, () => {
    let under: KvUnderTest
    const freshKey = () => `contract:${crypto.randomUUID()}`

    beforeAll(async () => {
      under = await open()
    })
    afterAll(() => under.close())

    test('a counter goes up by one with each increment', async () => {
      const key = freshKey()
      expect((await under.kv.increment(key, 60))?.count).toBe(1)
      expect((await under.kv.increment(key, 60))?.count).toBe(2)
      expect((await under.kv.increment(key, 60))?.count).toBe(3)
    })

    test('counters are independent', async () => {
      const [one, other] = [freshKey(), freshKey()]
      await under.kv.increment(one, 60)
      await under.kv.increment(one, 60)
      expect((await under.kv.increment(other, 60))?.count).toBe(1)
    })

    test('a key may hold any text', async () => {
      const key = `${freshKey()} 2001:db8::/64 "ü😀"\n`
      expect((await under.kv.increment(key, 60))?.count).toBe(1)
      expect((await under.kv.increment(key, 60))?.count).toBe(2)
    })

    test('an increment says after how many seconds the counter is forgotten', async () => {
      const key = freshKey()
      const first = await under.kv.increment(key, 60)
      expect(first?.resetSeconds).toBeWithin(55, 61)
      under.advance(20)
      const second = await under.kv.increment(key, 3600)
      expect(second?.resetSeconds).toBeWithin(1, 61)
    })

    test('fifty increments at once give the numbers 1 to 50, each once', async () => {
      const key = freshKey()
      const counts = await Promise.all(Array.from({ length: 50 }, () => under.kv.increment(key, 60)))
      const numbers = counts.map((count) => count?.count ?? 0).sort((a, b) => a - b)
      expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
    })

    test('a counter starts again after its window, however often it was incremented in between', async () => {
      const key = freshKey()
      expect((await under.kv.increment(key, 1))?.count).toBe(1)
      expect((await under.kv.increment(key, 1))?.count).toBe(2)
      await eventually('the counter starts again at 1', async () => {
        under.advance(0.1)
        const count = await under.kv.increment(key, 1)
        return count?.count === 1
      })
    })

    test('ping says that the store answers', async () => {
      expect(await under.kv.ping()).toBe(true)
    })

    if (wakes) wakeUpContract(() => under.kv, freshKey)
    else {
      test('a subscription hears nothing and can be undone all the same', async () => {
        const channel = freshKey()
        let calls = 0
        const unsubscribe = await under.kv.subscribe(channel, () => calls++)
        await under.kv.publish(channel)
        await unsubscribe()
        expect(calls).toBe(0)
      })
    }
  })
}

function wakeUpContract(kv: () => Kv, freshKey: () => string) {
  test('a wake-up reaches every subscriber of its channel and no other', async () => {
    const [channel, other] = [freshKey(), freshKey()]
    const heard: string[] = []
    await kv().subscribe(channel, () => heard.push('first'))
    await kv().subscribe(channel, () => heard.push('second'))
    await kv().subscribe(other, () => heard.push('other'))
    await kv().publish(channel)
    await eventually('both are woken', () => heard.length >= 2)
    // What comes later on the same connection shows that nothing else was on its way.
    await kv().publish(other)
    await eventually('the other channel is woken', () => heard.includes('other'))
    expect(heard.sort()).toEqual(['first', 'other', 'second'])
  })

  test('unsubscribing stops wake-ups for that subscriber only', async () => {
    const channel = freshKey()
    const heard: string[] = []
    const unsubscribe = await kv().subscribe(channel, () => heard.push('gone'))
    await kv().subscribe(channel, () => heard.push('stays'))
    await unsubscribe()
    await kv().publish(channel)
    await eventually('the one who stays is woken', () => heard.length > 0)
    expect(heard).toEqual(['stays'])
  })

  test('subscribing at the same time loses no subscriber', async () => {
    const channel = freshKey()
    let calls = 0
    await Promise.all(Array.from({ length: 10 }, () => kv().subscribe(channel, () => calls++)))
    await kv().publish(channel)
    await eventually('all ten are woken', () => calls >= 10)
    expect(calls).toBe(10)
  })

  test('a wake-up without subscribers is ignored', async () => {
    expect(await kv().publish(freshKey())).toBeUndefined()
  })
}
