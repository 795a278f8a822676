import { expect, test } from 'bun:test'
import { doInParts } from '../../src/core/parts.ts'

/** A kind of work that notes each of its parts. */
const kind =
  (done: string[], name: string, parts: number, failsAt = 0) =>
  async () => {
    done.push(name)
    const turn = done.filter((other) => other === name).length
    if (turn === failsAt) throw new Error(`${name} failed`)
    return turn < parts
  }

test('kinds of work take turns, each until it is finished', async () => {
  const done: string[] = []
  await doInParts([kind(done, 'a', 3), kind(done, 'b', 1), kind(done, 'c', 2)])
  expect(done).toEqual(['a', 'b', 'c', 'a', 'c', 'a'])
})

test('a kind that fails has no more turns, and the first error is thrown when the others have finished', async () => {
  const done: string[] = []
  const work = doInParts([kind(done, 'a', 9, 2), kind(done, 'b', 3), kind(done, 'c', 9, 1)])
  await expect(work).rejects.toThrow('c failed')
  expect(done).toEqual(['a', 'b', 'c', 'a', 'b', 'b'])
})
