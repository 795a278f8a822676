import { expect, test } from 'bun:test'
import { createUnfinishedBodies } from '../../../src/backend/http/unfinished-bodies.ts'

/** Places for `most`, and the names of the bodies that had to make room, in their order. */
function places(most: number) {
  const unfinished = createUnfinishedBodies(most)
  const ended: string[] = []
  return {
    ended,
    add: (sender: string, name = sender, bytes = 1) => unfinished.add(sender, bytes, () => ended.push(name)),
    makeRoom: unfinished.makeRoom,
  }
}

test('the oldest body of the sender with the most makes room', () => {
  const { ended, add } = places(5)
  add('ada')
  for (const name of ['eve 1', 'eve 2', 'eve 3']) add('eve', name)
  add('bob')
  add('kim')
  expect(ended).toEqual(['eve 1'])
  add('eve', 'eve 4')
  expect(ended).toEqual(['eve 1', 'eve 2'])
})

test('of many senders with one body each, the oldest makes room', () => {
  const { ended, add } = places(3)
  for (const sender of ['a', 'b', 'c', 'd', 'e']) add(sender)
  expect(ended).toEqual(['a', 'b'])
})

test('a body that has come leaves its place to another one', () => {
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

test('bodies of senders with more bytes make room, the oldest of whoever has most first', () => {
  const { ended, add, makeRoom } = places(10)
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

test('no body is ended where all that may be ended would not make room', () => {
  const { ended, add, makeRoom } = places(10)
  for (const name of ['eve 1', 'eve 2', 'eve 3']) add('eve', name, 100)
  expect(makeRoom(201, 150)).toBe(false)
  expect(makeRoom(Number.POSITIVE_INFINITY, 0)).toBe(false)
  expect(ended).toEqual([])
  expect(makeRoom(200, 150)).toBe(true)
  expect(ended).toEqual(['eve 1', 'eve 2'])
})

test('a body that takes nothing is not ended to make room', () => {
  const { ended, add, makeRoom } = places(10)
  add('eve', 'small', 0)
  add('eve', 'large', 100)
  expect(makeRoom(100, 0)).toBe(true)
  expect(ended).toEqual(['large'])
})
