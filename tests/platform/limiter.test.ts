import { describe, expect, test } from 'bun:test'
import { createJointLimit } from '../../src/platform/joint-limit.ts'
import { createKeyedLimiter } from '../../src/platform/keyed-limiter.ts'
import {
  CallerBusyError,
  createFairLimiter,
  createLimiter,
  type FairLimiter,
  TooBusyError,
} from '../../src/platform/limiter.ts'

/** Work that lasts until it is told to end, and notes when it began. */
function controlled(name: string, begun: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>()
  const work = () => {
    begun.push(name)
    return promise
  }
  return { work, end: () => resolve(name) }
}

/** Work that ends at once, is told to have used so much time, and whose names are noted when it begins. */
function usesOf(limiter: FairLimiter) {
  const begun: string[] = []
  const use = (name: string, milliseconds: number) =>
    limiter.run(
      name.charAt(0),
      async () => {
        begun.push(name)
      },
      { used: () => milliseconds },
    )
  return { begun, use }
}

test('as many as are allowed run at once, and the others in the order in which they came', async () => {
  const gate = createLimiter({ concurrency: 2, queue: 10 })
  const begun: string[] = []
  const jobs = ['a', 'b', 'c', 'd'].map((name) => controlled(name, begun))
  const outcomes = jobs.map((job) => gate(job.work))
  await Bun.sleep(1)
  expect(begun).toEqual(['a', 'b'])
  jobs[1]?.end()
  await outcomes[1]
  await Bun.sleep(1)
  expect(begun).toEqual(['a', 'b', 'c'])
  for (const job of jobs) job.end()
  expect(await Promise.all(outcomes)).toEqual(['a', 'b', 'c', 'd'])
})

test('a full queue refuses at once', async () => {
  const gate = createLimiter({ concurrency: 1, queue: 1 })
  const job = controlled('a', [])
  const outcomes = [gate(job.work), gate(job.work)]
  await expect(gate(job.work)).rejects.toBeInstanceOf(TooBusyError)
  job.end()
  await Promise.all(outcomes)
})

test('work that waited too long is refused and never starts', async () => {
  const gate = createLimiter({ concurrency: 1, queue: 1, waitMilliseconds: 20 })
  const begun: string[] = []
  const [first, late, next] = ['first', 'late', 'next'].map((name) => controlled(name, begun))
  if (!first || !late || !next) throw new Error('unreachable')
  const running = gate(first.work)
  await expect(gate(late.work)).rejects.toBeInstanceOf(TooBusyError)
  first.end()
  next.end()
  await running
  // Nor does it keep its place in line, or the one that it would have had.
  expect(await Promise.all([gate(next.work), gate(next.work)])).toEqual(['next', 'next'])
  expect(begun).toEqual(['first', 'next', 'next'])
})

test('work is waited for until a time at the longest, and does not start after it', async () => {
  const limiter = createFairLimiter({
    concurrency: 1,
    concurrencyEach: 1,
    queueEach: 9,
    waitMilliseconds: 60_000,
  })
  const begun: string[] = []
  const [first, late] = [controlled('first', begun), controlled('late', begun)]
  const running = limiter.run('a', first.work)
  const startBy = (until: number) => limiter.run('b', late.work, { until })
  await expect(startBy(performance.now() + 20)).rejects.toBeInstanceOf(TooBusyError)
  first.end()
  await running
  await expect(startBy(performance.now())).rejects.toBeInstanceOf(TooBusyError)
  expect(begun).toEqual(['first'])
})

test('work that waited for less than the limit may last longer than it', async () => {
  const gate = createLimiter({ concurrency: 1, queue: 1, waitMilliseconds: 50 })
  const slow = () => Bun.sleep(40).then(() => 'done')
  const slower = () => Bun.sleep(80).then(() => 'done')
  expect(await Promise.all([gate(slow), gate(slower)])).toEqual(['done', 'done'])
})

test('failed work frees its slot', async () => {
  const gate = createLimiter({ concurrency: 1, queue: 1 })
  const outcomes = [gate(() => Promise.reject(new Error('no'))), gate(async () => 'yes')]
  expect(await Promise.allSettled(outcomes)).toMatchObject([{ status: 'rejected' }, { value: 'yes' }])
})

describe('callers take turns', () => {
  const bounds = { concurrency: 4, concurrencyEach: 2, queueEach: 50 }

  /** Starts jobs named after their callers, such as `a1`, that use no time; gives which have begun, and what ends one. */
  function jobsOf(limiter: ReturnType<typeof createFairLimiter>, names: readonly string[]) {
    const begun: string[] = []
    const jobs = new Map(names.map((name) => [name, controlled(name, begun)]))
    const outcomes = [...jobs].map(([name, job]) =>
      limiter.run(name.slice(0, 1), job.work, { used: () => 0 }),
    )
    const end = async (name: string) => {
      jobs.get(name)?.end()
      await Bun.sleep(1)
    }
    return { begun, end, outcomes }
  }

  test('and none runs more at once than its share, also while there is room', async () => {
    const { begun, end, outcomes } = jobsOf(createFairLimiter(bounds), ['a1', 'a2', 'a3', 'b1'])
    await Bun.sleep(1)
    expect(begun).toEqual(['a1', 'a2', 'b1'])
    await end('b1')
    expect(begun).toEqual(['a1', 'a2', 'b1'])
    await end('a2')
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3'])
    for (const name of ['a1', 'a3']) await end(name)
    expect(await Promise.all(outcomes)).toEqual(['a1', 'a2', 'a3', 'b1'])
  })

  test('who has just had one comes last, whatever the length of the queues', async () => {
    const names = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']
    const limiter = createFairLimiter({ ...bounds, concurrency: 1 })
    const { begun, end, outcomes } = jobsOf(limiter, names)
    for (let done = 0; done < names.length; done++) {
      await Bun.sleep(1)
      expect(begun).toHaveLength(done + 1)
      await end(begun[done] as string)
    }
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', 'a5'])
    await Promise.all(outcomes)
  })

  test('who comes again and again waits for one turn of another at most', async () => {
    const limiter = createFairLimiter({ ...bounds, concurrency: 1 })
    const many = jobsOf(limiter, ['a1', 'a2', 'a3'])
    for (const [job, ended] of [
      ['b1', 'a1'],
      ['b2', 'a2'],
    ] as const) {
      const one = jobsOf(limiter, [job])
      await many.end(ended)
      expect(one.begun).toEqual([job])
      await one.end(job)
    }
    await many.end('a3')
    expect(many.begun).toEqual(['a1', 'a2', 'a3'])
  })

  test('who has used less time comes first', async () => {
    const limiter = createFairLimiter({ ...bounds, concurrency: 1 })
    const { begun, use } = usesOf(limiter)
    await use('a1', 300)
    await use('b1', 200)
    await use('c1', 0)
    const blocked = controlled('d1', begun)
    const outcomes = [
      limiter.run('d', blocked.work),
      ...['a2', 'a3', 'b2', 'b3', 'c2'].map((name) => use(name, 150)),
    ]
    blocked.end()
    await Promise.all(outcomes)
    expect(begun.slice(3)).toEqual(['d1', 'c2', 'b2', 'a2', 'b3', 'a3'])
  })

  test('who has used more gets one of four slots nevertheless', async () => {
    const limiter = createFairLimiter({ ...bounds, concurrency: 1 })
    const { begun, use } = usesOf(limiter)
    await use('a1', 1000)
    const blocked = controlled('b0', begun)
    const names = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'a2', 'a3']
    const outcomes = [limiter.run('b', blocked.work), ...names.map((name) => use(name, 0))]
    blocked.end()
    await Promise.all(outcomes)
    expect(begun).toEqual(['a1', 'b0', 'b1', 'b2', 'b3', 'a2', 'b4', 'b5', 'b6', 'a3', 'b7'])
  })

  test('a turn counts for as long as it lasts where nothing else is told, but makes nobody heavy', async () => {
    const limiter = createFairLimiter({ ...bounds, concurrency: 2, concurrencyEach: 1, heavyMilliseconds: 5 })
    await Promise.all([limiter.run('a', () => Bun.sleep(30)), limiter.run('b', () => Bun.sleep(10))])
    const begun: string[] = []
    const jobs = ['c', 'd', 'a', 'b'].map((name) => controlled(name, begun))
    const outcomes = jobs.map(({ work }, index) => limiter.run('cdab'.charAt(index), work))
    for (const job of jobs) job.end()
    await Promise.all(outcomes)
    expect(begun).toEqual(['c', 'd', 'b', 'a'])
    const both = ['a', 'b'].map((name) => limiter.tryToEnter(name))
    expect(both.map((end) => typeof end)).toEqual(['function', 'function'])
    for (const end of both) end?.()
  })

  test('one who has used much at once leaves a slot to another one who has', () => {
    const limiter = createFairLimiter({ ...bounds, concurrency: 8, concurrencyEach: 5, concurrencyHeavy: 3 })
    for (const name of ['a', 'b']) limiter.charge(name, 600)
    const enter = (name: string) => limiter.tryToEnter(name) !== null
    expect(['a', 'a', 'a', 'b', 'b'].map(enter)).toEqual([true, true, false, true, false])
    expect(['c', 'c', 'c', 'c', 'c', 'c'].map(enter)).toEqual([true, true, true, true, true, false])
  })

  test('those who have used much at once leave a slot to others', async () => {
    const limiter = createFairLimiter({ ...bounds, concurrency: 2 })
    for (const name of ['a', 'b']) await limiter.run(name, async () => {}, { used: () => 600 })
    const begun: string[] = []
    const jobs = ['a1', 'b1', 'c1'].map((name) => controlled(name, begun))
    const outcomes = jobs.map(({ work }, index) => limiter.run('abc'.charAt(index), work))
    await Bun.sleep(1)
    expect(begun).toEqual(['a1', 'c1'])
    jobs[0]?.end()
    await Bun.sleep(1)
    expect(begun).toEqual(['a1', 'c1', 'b1'])
    for (const job of jobs) job.end()
    await Promise.all(outcomes)
  })

  test('those with a turn that took long have one at a time, and leave slots to others', async () => {
    const limiter = createFairLimiter({
      ...bounds,
      concurrency: 4,
      concurrencyEach: 2,
      concurrencySlow: 2,
      slowMilliseconds: 20,
    })
    await Promise.all(['a', 'b', 'c'].map((name) => limiter.run(name, () => Bun.sleep(40))))
    await limiter.run('d', () => Bun.sleep(1))
    const enter = (name: string) => limiter.tryToEnter(name) !== null
    expect(['a', 'a', 'b', 'c'].map(enter)).toEqual([true, false, true, false])
    expect(['d', 'd', 'd'].map(enter)).toEqual([true, true, false])
  })

  test('a slot stays empty for as long as the last turn took, where the limiter pauses', async () => {
    const limiter = createFairLimiter({ ...bounds, concurrency: 1, pauseMilliseconds: 1000 })
    const end = await limiter.enter('ada')
    await Bun.sleep(50)
    const endedAt = performance.now()
    end()
    expect(limiter.isFree('grace')).toBe(false)
    await limiter.enter('grace')
    expect(performance.now() - endedAt).toBeGreaterThan(45)
  })

  test('and those with one share do so within it, by branch and then by caller', async () => {
    const limiter = createFairLimiter({ concurrency: 2, concurrencyEach: 1, queueEach: 3 })
    const branches: Record<string, string> = { a: 'a', b: 'b', d: 'b', c: 'c' }
    const sharer = (name: string) => {
      const id = name.charAt(0)
      return { id, branchId: branches[id] as string, responsibleId: id === 'c' ? 'c' : 'a' }
    }
    const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'd1', 'c1']
    const begun: string[] = []
    const jobs = names.map((name) => controlled(name, begun))
    const outcomes = jobs.map(({ work }, index) => limiter.run(sharer(names[index] as string), work))
    await Bun.sleep(1)
    expect(begun).toEqual(['a1', 'c1'])
    await expect(limiter.run(sharer('a5'), async () => 'a5')).rejects.toBeInstanceOf(CallerBusyError)
    const order = ['a1', 'b1', 'a2', 'd1', 'a3', 'b2', 'a4']
    for (const name of ['c1', ...order]) {
      jobs[names.indexOf(name)]?.end()
      await Bun.sleep(1)
    }
    expect(begun.filter((name) => name !== 'c1')).toEqual(order)
    expect(await Promise.all(outcomes)).toEqual(names)
  })

  test('and one that has a share of its own is the same, however it is named', async () => {
    const limiter = createFairLimiter({ concurrency: 1, concurrencyEach: 1, queueEach: 2 })
    const begun: string[] = []
    const jobs = ['first', 'second', 'third'].map((name) => controlled(name, begun))
    const sharers = ['a', 'a', { id: 'a', branchId: 'a', responsibleId: 'a' }]
    const outcomes = jobs.map(({ work }, index) => limiter.run(sharers[index] as string, work))
    await expect(limiter.run('a', async () => 'fourth')).rejects.toBeInstanceOf(CallerBusyError)
    for (const job of jobs) job.end()
    expect(await Promise.all(outcomes)).toEqual(['first', 'second', 'third'])
  })

  test('and a full queue refuses its caller alone', async () => {
    const limiter = createFairLimiter({ concurrency: 1, concurrencyEach: 1, queueEach: 2 })
    const { end, outcomes } = jobsOf(limiter, ['a1', 'a2', 'a3', 'b1', 'b2'])
    await expect(limiter.run('a', async () => 'a4')).rejects.toBeInstanceOf(CallerBusyError)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) await end(name)
    expect(await Promise.all(outcomes)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2'])
  })

  test('and one that waited too long has lost its turn to nobody', async () => {
    const limiter = createFairLimiter({
      concurrency: 1,
      concurrencyEach: 1,
      queueEach: 2,
      waitMilliseconds: 20,
    })
    const leave = await limiter.enter('a')
    const late = await Promise.allSettled([limiter.enter('b'), limiter.enter('a'), limiter.enter('b')])
    for (const outcome of late)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(TooBusyError) })
    leave()
    const next = await limiter.enter('b')
    const after = limiter.enter('a')
    next()
    ;(await after)()
    expect(await limiter.run('c', async () => 'free')).toBe('free')
  })

  test('and one that leaves gives up its place, in the queue or before', async () => {
    const limiter = createFairLimiter({ concurrency: 1, concurrencyEach: 1, queueEach: 1 })
    const end = await limiter.enter('a')
    const left = new AbortController()
    const waiting = limiter.enter('b', left.signal)
    left.abort()
    await expect(waiting).rejects.toBeInstanceOf(TooBusyError)
    await expect(limiter.enter('b', left.signal)).rejects.toBeInstanceOf(TooBusyError)
    const next = limiter.enter('b', new AbortController().signal)
    end()
    ;(await next)()
    expect(await limiter.run('c', async () => 'free')).toBe('free')
  })

  test.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'no slot is lost and no bound is passed: random calls, seed %i',
    async (seed) => {
      const random = generator(seed)
      const limiter = createFairLimiter({
        concurrency: 3,
        concurrencyEach: 2,
        queueEach: 5,
        waitMilliseconds: 3,
      })
      const running = new Map<string, number>()
      const count = (caller: string, change: number) => {
        running.set(caller, (running.get(caller) ?? 0) + change)
        expect(running.get(caller)).toBeLessThanOrEqual(2)
        expect([...running.values()].reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(3)
      }
      const job = async (caller: string, milliseconds: number, fails: boolean) => {
        count(caller, 1)
        await Bun.sleep(milliseconds)
        count(caller, -1)
        if (fails) throw new Error('no')
      }
      const call = async () => {
        await Bun.sleep(random(10))
        const share = 'abcd'.charAt(random(4))
        const caller = { responsibleId: share, branchId: `${share}${random(2)}`, id: `${share}${random(3)}` }
        const sharer = share === 'd' ? share : caller
        await limiter.run(sharer, () => job(share, random(4), random(4) === 0))
      }
      const outcomes = await Promise.allSettled(Array.from({ length: 60 }, call))
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      for (const reason of reasons) if (reason.message !== 'no') expect(reason).toBeInstanceOf(TooBusyError)
      // As many as are allowed run at once again.
      const leaves = await Promise.all([limiter.enter('x'), limiter.enter('x'), limiter.enter('y')])
      for (const leave of leaves) leave()
    },
  )
})

describe('limiters together', () => {
  const options = { concurrency: 2, concurrencyEach: 2, queueEach: 9 }

  test('run as many of one share as the joint limit allows, and those of others meanwhile', async () => {
    const together = createJointLimit(1)
    const [one, two] = [options, options].map((each) => createFairLimiter({ ...each, together }))
    const begun: string[] = []
    const jobs = ['a1', 'a2', 'a3', 'b1', 'a4'].map((name) => controlled(name, begun))
    const outcomes = jobs.map(({ work }, n) => (n % 2 === 0 ? one : two)?.run(n === 3 ? 'b' : 'a', work))
    await Bun.sleep(1)
    expect(begun).toEqual(['a1', 'b1'])
    for (const [ended, next] of [
      [0, 'a2'],
      [1, 'a3'],
      [2, 'a4'],
    ] as const) {
      jobs[ended]?.end()
      await Bun.sleep(1)
      expect(begun.at(-1)).toBe(next)
    }
    for (const job of jobs) job.end()
    expect(await Promise.all(outcomes)).toEqual(['a1', 'a2', 'a3', 'b1', 'a4'])
    expect(together.waiting.size).toBe(0)
  })

  test('give their turns by turn, however many wait in one of them', async () => {
    const together = createJointLimit(1)
    const [many, few] = [options, options].map((each) => createFairLimiter({ ...each, together }))
    const begun: string[] = []
    const jobs = ['m1', 'm2', 'm3', 'm4', 'f1', 'f2'].map((name) => controlled(name, begun))
    const outcomes = jobs.map(({ work }, n) => (n < 4 ? many : few)?.run('a', work))
    for (const job of jobs) job.end()
    await Promise.all(outcomes)
    expect(begun).toEqual(['m1', 'm2', 'f1', 'm3', 'f2', 'm4'])
  })

  test('forget those that waited too long', async () => {
    const together = createJointLimit(1)
    const limiter = createFairLimiter({ ...options, together, waitMilliseconds: 10 })
    const end = await limiter.enter('a')
    await expect(limiter.enter('a')).rejects.toBeInstanceOf(TooBusyError)
    expect(together.waiting.size).toBe(0)
    end()
    expect(together.hasRoom('a')).toBe(true)
  })
})

/** Numbers below a bound, the same for the same seed. */
function generator(seed: number) {
  let state = seed + 1
  return (bound: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % bound
  }
}

test('with a key, work waits for that of the same key only', async () => {
  const limiter = createKeyedLimiter({ concurrency: 1, concurrencyEach: 1, queueEach: 1 })
  const begun: string[] = []
  const first = controlled('first', begun)
  const second = controlled('second', begun)
  const other = controlled('other', begun)
  const outcomes = [
    limiter.run('key', 'a', first.work),
    limiter.run('key', 'b', second.work),
    limiter.run('other key', 'b', other.work),
  ]
  await Bun.sleep(1)
  expect(begun).toEqual(['first', 'other'])
  await expect(limiter.run('key', 'b', async () => 'third')).rejects.toBeInstanceOf(CallerBusyError)
  first.end()
  await Bun.sleep(1)
  expect(begun).toEqual(['first', 'other', 'second'])
  second.end()
  other.end()
  expect(await Promise.all(outcomes)).toEqual(['first', 'second', 'other'])
  expect(await limiter.run('key', 'a', async () => 'again')).toBe('again')
})
