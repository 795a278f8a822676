import { expect, test } from 'bun:test'
import { createPasswordTurns, PasswordsBusy, type PasswordTurn } from '../../src/platform/password-turns.ts'

/** Turns of which one runs at a time, and work that notes when it begins and lasts until `finish`. */
function setUp(queue: number) {
  const inTurn = createPasswordTurns({ concurrency: 1, queue })
  const begun: string[] = []
  const gates: (() => void)[] = []
  const begin = (name: string, turn: PasswordTurn, what: 'hash' | 'verify' = 'verify') =>
    inTurn(turn, what, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => gates.push(resolve))
      return name
    })
  const finish = async () => {
    await Bun.sleep(1)
    for (let end = gates.shift(); end !== undefined; end = gates.shift()) {
      end()
      await Bun.sleep(1)
    }
  }
  return { begin, begun, finish }
}

const stranger = (i: number): PasswordTurn => ({ site: `192.0.2.${i}` })
const ada: PasswordTurn = { member: 'ada' }

test('strangers who fill their line delay somebody who is known by two passwords', async () => {
  const { begin, begun, finish } = setUp(20)
  const strangers = Array.from({ length: 40 }, (_, i) => begin(`stranger ${i}`, stranger(i)))
  const outcomes = Promise.allSettled(strangers)
  const known = begin('ada', ada)
  await finish()
  expect(await known).toBe('ada')
  expect(begun.indexOf('ada')).toBeLessThan(3)
  const refused = (await outcomes).filter((outcome) => outcome.status === 'rejected')
  expect(refused.map(({ reason }) => reason instanceof PasswordsBusy)).toEqual(Array(19).fill(true))
})

test('one network may fill the line; it makes room for others, and networks take turns', async () => {
  const { begin, begun, finish } = setUp(4)
  const flood = Array.from({ length: 6 }, (_, i) => begin(`flood ${i}`, stranger(1)))
  const outcomes = Promise.allSettled(flood)
  await Bun.sleep(1)
  const others = [2, 3].map((i) => begin(`other ${i}`, stranger(i)))
  await finish()
  expect(await Promise.all(others)).toEqual(['other 2', 'other 3'])
  expect(begun.indexOf('other 3')).toBeLessThan(4)
  expect((await outcomes).map(({ status }) => status)).toEqual([
    ...Array(3).fill('fulfilled'),
    ...Array(3).fill('rejected'),
  ])
})

test('a network that makes no room for another with as many keeps its places', async () => {
  const { begin, finish } = setUp(4)
  const many = [1, 1, 2, 2, 2].map((i, at) => begin(`${at}`, stranger(i)))
  await expect(begin('one too many', stranger(1))).rejects.toThrow(PasswordsBusy)
  await finish()
  expect(await Promise.all(many)).toHaveLength(5)
})

test('members take turns, and each has a line', async () => {
  const { begin, begun, finish } = setUp(4)
  const many = Array.from({ length: 6 }, (_, i) => begin(`eve ${i}`, { member: 'eve' }))
  const outcomes = Promise.allSettled(many)
  const other = begin('ada', ada)
  await finish()
  expect(await other).toBe('ada')
  expect(begun.indexOf('ada')).toBeLessThan(3)
  expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
})

test('known accounts without a membership, however many, delay a member by two passwords', async () => {
  const { begin, begun, finish } = setUp(20)
  const account = (i: number): PasswordTurn => ({ account: `account ${i}` })
  const many = Array.from({ length: 200 }, (_, i) => begin(`account ${i}`, account(i)))
  const outcomes = Promise.allSettled(many)
  const strangers = Promise.allSettled(Array.from({ length: 40 }, (_, i) => begin('stranger', stranger(i))))
  const member = begin('ada', ada)
  await finish()
  expect(await member).toBe('ada')
  expect(begun.indexOf('ada')).toBeLessThan(4)
  expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(21)
  expect((await strangers).filter(({ status }) => status === 'fulfilled')).toHaveLength(21)
})

test('an account without a membership makes room for others, and such accounts take turns', async () => {
  const { begin, begun, finish } = setUp(4)
  const flood = Array.from({ length: 6 }, (_, i) => begin(`flood ${i}`, { account: 'eve' }))
  const outcomes = Promise.allSettled(flood)
  await Bun.sleep(1)
  const other = begin('other', { account: 'mallory' })
  await finish()
  expect(await other).toBe('other')
  expect(begun.indexOf('other')).toBeLessThan(3)
  expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(4)
})

test('new passwords from one network leave it turns to sign in', async () => {
  const { begin, begun, finish } = setUp(4)
  const hashed = Array.from({ length: 6 }, (_, i) => begin(`new ${i}`, stranger(1), 'hash'))
  const outcomes = Promise.allSettled(hashed)
  const signIn = begin('sign-in', stranger(1))
  await finish()
  expect(await signIn).toBe('sign-in')
  expect(begun.indexOf('sign-in')).toBeLessThan(3)
  expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
})

test('work that fails ends its turn', async () => {
  const inTurn = createPasswordTurns({ concurrency: 1, queue: 0 })
  for (const turn of [ada, { account: 'eve' }, stranger(1)]) {
    for (let round = 0; round < 3; round++) {
      const failing = inTurn(turn, 'hash', () => Promise.reject(new Error('needle')))
      await expect(failing).rejects.toThrow('needle')
    }
    expect(await inTurn(turn, 'verify', async () => 'done')).toBe('done')
  }
})
