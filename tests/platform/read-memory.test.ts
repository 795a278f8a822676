import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createMetrics } from '../../src/platform/metrics.ts'
import type { Database } from '../../src/platform/postgres/database.ts'
import { createStateVersions, type StateVersions } from '../../src/platform/postgres/state-version.ts'
import { createReadMemory } from '../../src/platform/read-memory.ts'

const KIB = 1024
const metrics = createMetrics()

/** A memory under a version that the test sets. */
function memoryOf(maxBytes = 100 * KIB) {
  const state = { version: 'one', isDown: false }
  const versions: StateVersions = {
    confirm: async () => {
      if (state.isDown) throw new Error('down')
      return state.version
    },
    end: async () => {},
  }
  return { state, memory: createReadMemory(versions, { maxBytes, metrics }) }
}

const item = (value: string, bytes = 10) => ({ value, bytes })

describe('a memory of reads', () => {
  test('gives what was loaded at the version that is confirmed, and nothing of another one', async () => {
    const { memory, state } = memoryOf()
    const one = await memory.confirm()
    expect(memory.recall('answer', one, 'roles')).toBeUndefined()
    expect(await memory.load('answer', one, 'roles', async () => item('first'))).toBe('first')
    expect(memory.recall<string>('answer', await memory.confirm(), 'roles')).toBe('first')
    expect(memory.recall('caller', one, 'roles')).toBeUndefined()
    state.version = 'two'
    expect(memory.recall('answer', await memory.confirm(), 'roles')).toBeUndefined()
    expect(memory.bytesInUse()).toBe(0)
    state.version = 'one'
    expect(memory.recall('answer', await memory.confirm(), 'roles')).toBeUndefined()
  })

  test('forgets everything when no version can be confirmed', async () => {
    const { memory, state } = memoryOf()
    const version = await memory.confirm()
    await memory.load('answer', version, 'roles', async () => item('first'))
    state.isDown = true
    await expect(memory.confirm()).rejects.toThrow('down')
    state.isDown = false
    expect(memory.recall('answer', await memory.confirm(), 'roles')).toBeUndefined()
  })

  test('loads the same thing once at a time, and again where nothing was found or the load failed', async () => {
    const { memory } = memoryOf()
    const version = await memory.confirm()
    let loads = 0
    const load = (outcome: () => { value: string; bytes: number } | null) =>
      memory.load('caller', version, 'token', async () => {
        loads++
        await Bun.sleep(1)
        return outcome()
      })
    expect(await Promise.all([load(() => null), load(() => null)])).toEqual([null, null])
    expect(loads).toBe(1)
    const failing = () => {
      throw new Error('no')
    }
    expect((await Promise.allSettled([load(failing), load(failing)])).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ])
    expect(loads).toBe(2)
    expect(await Promise.all([load(() => item('found')), load(() => item('other'))])).toEqual([
      'found',
      'found',
    ])
    expect(loads).toBe(3)
    expect(memory.recall<string>('caller', version, 'token')).toBe('found')
  })

  test('does not remember what was loaded before the version that it has now', async () => {
    const { memory, state } = memoryOf()
    const one = await memory.confirm()
    const { promise, resolve } = Promise.withResolvers<void>()
    const old = memory.load('answer', one, 'roles', async () => {
      await promise
      return item('old')
    })
    state.version = 'two'
    const two = await memory.confirm()
    resolve()
    expect(await old).toBe('old')
    expect(memory.recall('answer', two, 'roles')).toBeUndefined()
    expect(await memory.load('answer', two, 'roles', async () => item('new'))).toBe('new')
  })

  test('takes no more than its bytes, and forgets what was not used for longest', async () => {
    const { memory } = memoryOf(100 * KIB)
    const version = await memory.confirm()
    const keep = (key: string, bytes: number) =>
      memory.load('answer', version, key, async () => item(key, bytes))
    for (let n = 0; n < 200; n++) {
      await keep(`answer ${n}`, 9 * KIB)
      expect(memory.bytesInUse()).toBeLessThanOrEqual(100 * KIB)
      if (n > 0) expect(memory.recall<string>('answer', version, 'answer 0')).toBe('answer 0')
    }
    const left = Array.from({ length: 200 }, (_, n) => n).filter(
      (n) => memory.recall('answer', version, `answer ${n}`) !== undefined,
    )
    expect(left).toEqual([0, ...Array.from({ length: left.length - 1 }, (_, n) => 201 - left.length + n)])
    await keep('much of it', 26 * KIB)
    expect(memory.recall('answer', version, 'much of it')).toBeUndefined()
  })
})

/**
 * A database that changes while requests read it, all in an order that the scheduler chooses. `state` counts the changes;
 * an answer is the state that was read, and must not be older than the state when its request arrived.
 */
function requestsDuring(s: fc.Scheduler, memories: number) {
  const database = { state: 0 }
  const step = (name: string) => s.schedule(Promise.resolve(), name)
  const query = async () => {
    await step('version: sent')
    const version = `version ${database.state}`
    await step('version: answered')
    return [{ version, readOnly: false }]
  }
  const db = Object.assign(query, { deadlines: { statementMilliseconds: Infinity } }) as unknown as Database
  const backends = Array.from({ length: memories }, () =>
    createReadMemory(createStateVersions(db, metrics), { maxBytes: 100 * KIB, metrics }),
  )
  const stale: string[] = []
  const request = async (n: number) => {
    await step(`request ${n} arrives`)
    const memory = backends[n % memories] ?? backends[0]
    if (memory === undefined) return
    const before = database.state
    const version = await memory.confirm()
    const load = async () => {
      await step(`request ${n} loads`)
      const value = database.state
      await step(`request ${n} has loaded`)
      return { value, bytes: 10 }
    }
    const known = memory.recall<number>('answer', version, 'it')
    const answer = known ?? (await memory.load('answer', version, 'it', load)) ?? -1
    if (answer < before) stale.push(`request ${n} got ${answer} after ${before}`)
  }
  const change = async () => {
    await step('a change commits')
    database.state++
  }
  return { request, change, stale }
}

test('whatever the order of version queries, loads and changes, no answer is older than its request', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 2 }),
      fc.integer({ min: 1, max: 4 }),
      async (s, memories, changes) => {
        const { request, change, stale } = requestsDuring(s, memories)
        const all = [
          ...Array.from({ length: 8 }, (_, n) => request(n)),
          ...Array.from({ length: changes }, () => change()),
        ]
        await s.waitFor(Promise.all(all))
        expect(stale).toEqual([])
      },
    ),
    { numRuns: 2000 },
  )
}, 60_000)
