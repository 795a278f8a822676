import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { differenceOf, wishesOf } from '../../../src/core/grants/grant.ts'

describe('what a body asks for', () => {
  test('is every environment of every app, ids in lower case', () => {
    expect(wishesOf({ apps: [{ id: 'A', environments: ['B', 'c'] }] })).toEqual([
      { appId: 'a', environmentId: 'b' },
      { appId: 'a', environmentId: 'c' },
    ])
  })

  test.each([
    [{ apps: [{ id: 'a', environments: ['b', 'B'] }] }, 'apps[0].environments[1] repeats'],
    [
      {
        apps: [
          { id: 'a', environments: ['b'] },
          { id: 'A', environments: ['c'] },
        ],
      },
      'apps[1].id repeats',
    ],
    [
      {
        apps: [
          { id: 'a', environments: ['b'] },
          { id: 'c', environments: ['b'] },
        ],
      },
      'apps[1].environments[0] repeats',
    ],
  ])('is refused when %j repeats an id', (body, sentence) => {
    expect(() => wishesOf(body)).toThrow(sentence)
  })
})

test('what is added and revoked leads from the old state to the new, and touches nothing that stays', () => {
  const ids = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f'))
  fc.assert(
    fc.property(ids, ids, (before, after) => {
      const wishes = after.map((environmentId) => ({ appId: 'app', environmentId }))
      const { added, revoked } = differenceOf(new Set(before), wishes)
      const kept = before.filter((id) => !revoked.includes(id))
      expect([...kept, ...added.map((wish) => wish.environmentId)].sort()).toEqual([...after].sort())
      expect(added.some((wish) => before.includes(wish.environmentId))).toBe(false)
    }),
  )
})
