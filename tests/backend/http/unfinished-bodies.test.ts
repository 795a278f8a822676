import { expect, test } from 'bun:test'
import { createUnfinishedBodies } from '../../../src/backend/http/unfinished-bodies.ts'

/** Places for `most`, and the names of the bodies that had to make room, in their order. */
function places(most: number) {
  const unfinished = createUnfinishedBodies(most)
  const ended: string[] = []
  return { ended, add: (sender: string, name = sender) => unfinished.add(sender, () => ended.push(name)) }
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
