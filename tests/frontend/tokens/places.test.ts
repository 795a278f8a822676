import { describe, expect, test } from 'bun:test'
import { placesOf, summaryOf } from '../../../src/frontend/app/tokens/places.ts'

describe('what can be opened, in short', () => {
  const app = (name: string, ...environments: string[]) => ({
    id: name,
    name,
    environments: environments.map((name) => ({ name })),
  })

  test('says the environments and apps as long as they are few', () => {
    expect(summaryOf([])).toBe('nothing yet')
    expect(summaryOf([app('Ledger', 'Production')])).toBe('Production of Ledger')
    expect(summaryOf([app('A', 'Production'), app('B', 'Production')])).toBe('Production of A and B')
    expect(summaryOf([app('Ledger', 'Staging', 'Production')])).toBe('Staging and Production of Ledger')
    expect(summaryOf([app('A', 'Staging', 'Production'), app('B', 'Production')])).toBe(
      '3 environments of 2 apps',
    )
  })

  test('gives examples of its own, or names that say what goes there', () => {
    expect(placesOf([app('Ledger', 'Staging')])).toEqual({
      app: 'Ledger',
      appId: 'Ledger',
      environment: 'Staging',
    })
    expect(placesOf([]).appId).toBe('ID-OF-THE-APP')
  })
})
