import { expect, test } from 'bun:test'
import { type Activity, createEvictables } from '../../src/platform/evictables.ts'

/** Places for `most`, and the names of those that had to make room, in their order. */
function places(most?: number) {
  const evictables = createEvictables(most)
  const ended: string[] = []
  return {
    ended,
    add: (owner: string, name = owner, bytes = 1, activity: Activity = 'slow') =>
      evictables.add(
        owner,
        bytes,
        () => ended.push(name),
        () => activity,
      ),
    makeRoom: evictables.makeRoom,
  }
}

test('the oldest of whoever has the most makes room', () => {
  const { ended, add } = places(5)
  add('ada')
  for (const name of ['eve 1', 'eve 2', 'eve 3']) add('eve', name)
  add('bob')
  add('kim')
  expect(ended).toEqual(['eve 1'])
  add('eve', 'eve 4')
  expect(ended).toEqual(['eve 1', 'eve 2'])
})

test('where everybody has one, the oldest makes room', () => {
  const { ended, add } = places(3)
  for (const owner of ['a', 'b', 'c', 'd', 'e']) add(owner)
  expect(ended).toEqual(['a', 'b'])
})

test('what is removed leaves its place to another one', () => {
  const { ended, add } = places(2)
  const finish = add('ada')
  add('bob')
  finish()
  finish()
  add('kim')
  expect(ended).toEqual([])
  add('joe')
  expect(ended).toEqual(['bob'])
})

test('whoever has more bytes than allowed makes room, the oldest of whoever has most first', () => {
  const { ended, add, makeRoom } = places()
  for (const name of ['eve 1', 'eve 2', 'eve 3']) add('eve', name, 100)
  const finish = add('bob', 'bob', 250)
  add('ada', 'ada', 40)
  expect(makeRoom(350, 150)).toBe(true)
  expect(ended).toEqual(['eve 1', 'bob'])
  finish()
  expect(makeRoom(1, 200)).toBe(false)
  expect(makeRoom(1, 199)).toBe(true)
  expect(ended).toEqual(['eve 1', 'bob', 'eve 2'])
})

test('nothing is ended where all that may be ended would not make enough room', () => {
  const { ended, add, makeRoom } = places()
  for (const name of ['eve 1', 'eve 2', 'eve 3']) add('eve', name, 100)
  expect(makeRoom(201, 150)).toBe(false)
  expect(makeRoom(Number.POSITIVE_INFINITY, 0)).toBe(false)
  expect(ended).toEqual([])
  expect(makeRoom(200, 150)).toBe(true)
  expect(ended).toEqual(['eve 1', 'eve 2'])
})

test('what takes no bytes is not ended to make room', () => {
  const { ended, add, makeRoom } = places()
  add('eve', 'small', 0)
  add('eve', 'large', 100)
  expect(makeRoom(100, 0)).toBe(true)
  expect(ended).toEqual(['large'])
})

test('activities that come first are ended however little their share has', () => {
  const { ended, add, makeRoom } = places()
  const stalled = { first: ['stalled' as const] }
  add('eve', 'eve 1', 200)
  add('eve', 'eve 2', 100, 'stalled')
  add('bob', 'bob', 100, 'stalled')
  expect(makeRoom(500, 50, stalled)).toBe(false)
  expect(makeRoom(250, 300)).toBe(false)
  expect(makeRoom(150, 300, stalled)).toBe(true)
  expect(ended).toEqual(['eve 2', 'bob'])
  add('kim', 'kim', 10, 'stalled')
  expect(makeRoom(110, 150, stalled)).toBe(true)
  expect(ended).toEqual(['eve 2', 'bob', 'kim', 'eve 1'])
})

test('other activities than those allowed are not ended, but count for their share', () => {
  const { ended, add, makeRoom } = places()
  const stalled = { others: ['stalled' as const] }
  add('eve', 'eve 1', 200)
  add('eve', 'eve 2', 100, 'stalled')
  add('bob', 'bob', 100, 'stalled')
  add('kim', 'kim', 400, 'steady')
  expect(makeRoom(150, 100, stalled)).toBe(false)
  expect(makeRoom(100, 100, stalled)).toBe(true)
  expect(makeRoom(100, 100, stalled)).toBe(false)
  expect(makeRoom(100, 99, stalled)).toBe(true)
  expect(ended).toEqual(['eve 2', 'bob'])
})
