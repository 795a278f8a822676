import { describe, expect, test } from 'bun:test'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import fc from 'fast-check'
import { grantChanges, MAX_IDS, requestedGrants, SetAccess } from '../../../src/core/grants/grant.ts'

describe('the grants that a body requests', () => {
  test('are every environment of every app, ids in lower case', () => {
    expect(requestedGrants({ apps: [{ id: 'A', environments: ['B', 'c'] }] })).toEqual([
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
  ])('are refused when %j repeats an id', (body, sentence) => {
    expect(() => requestedGrants(body)).toThrow(sentence)
  })
})

test('adding and revoking lead from the old grants to the requested ones, and keep what is in both', () => {
  const ids = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f'))
  fc.assert(
    fc.property(ids, ids, (before, after) => {
      const requested = after.map((environmentId) => ({ appId: 'app', environmentId }))
      const { added, revoked } = grantChanges(new Set(before), requested)
      const kept = before.filter((id) => !revoked.includes(id))
      expect([...kept, ...added.map((grant) => grant.environmentId)].sort()).toEqual([...after].sort())
      expect(added.some((wish) => before.includes(wish.environmentId))).toBe(false)
    }),
  )
})

describe('the shape of a body', () => {
  const schema = TypeCompiler.Compile(SetAccess)

  /** A list that counts how often its items are read. */
  function watched(length: number) {
    const seen = { times: 0 }
    const list = new Proxy(Array<string>(length).fill('x'), {
      get: (target, key) => {
        if (/^\d+$/.test(String(key))) seen.times++
        return Reflect.get(target, key)
      },
    })
    return { seen, list }
  }

  test('has room for as many environments of one app as may be granted at once', () => {
    const apps = (count: number) => ({
      apps: [{ id: 'x', environments: Array.from({ length: count }, (_, index) => `${index}`) }],
    })
    expect(schema.Check(apps(MAX_IDS - 1))).toBe(true)
    expect(requestedGrants(apps(MAX_IDS - 1))).toHaveLength(MAX_IDS - 1)
    expect(schema.Check(apps(MAX_IDS))).toBe(false)
    expect(() => requestedGrants(apps(MAX_IDS))).toThrow('at most 10000 ids')
  })

  test('is refused without reading the items of a list that is too long', () => {
    const { seen, list } = watched(MAX_IDS + 1)
    expect(schema.Check({ apps: [{ id: 'x', environments: list }] })).toBe(false)
    expect(schema.Errors({ apps: [{ id: 'x', environments: list }] }).First()?.message).toMatch(/length/)
    expect(schema.Check({ apps: list })).toBe(false)
    expect(seen.times).toBe(0)
  })

  test('is checked by reading each item once', () => {
    const { seen, list } = watched(MAX_IDS - 1)
    expect(schema.Check({ apps: [{ id: 'x', environments: list }] })).toBe(true)
    expect(seen.times).toBe(MAX_IDS - 1)
  })
})

test('a body of too many ids is refused before they are compared', () => {
  const environments = Array<string>(MAX_IDS).fill('the same')
  expect(() => requestedGrants({ apps: [{ id: 'x', environments }] })).toThrow(
    `apps must have at most ${MAX_IDS} ids of apps and environments together, not ${MAX_IDS + 1}.`,
  )
})
