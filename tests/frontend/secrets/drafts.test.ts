import { expect, test } from 'bun:test'
import { type Draft, NO_DRAFTS, reduceDrafts } from '../../../src/frontend/app/secrets/drafts.ts'
import type { Secret } from '../../../src/frontend/app/secrets/secret.ts'

const stored = (fields: Partial<Secret> = {}) =>
  ({
    id: 's1',
    key: 'KEY',
    path: '/',
    value: 'old',
    tags: [],
    comment: '',
    type: 'secret',
    version: 1,
    override: null,
    ...fields,
  }) as unknown as Secret

const at = { environmentId: 'staging', row: '/ KEY' }
const only = (drafts: ReadonlyMap<string, Draft>) => [...drafts.values()][0]

test('what is typed back to what is stored is no change', () => {
  const base = stored()
  const changed = reduceDrafts(NO_DRAFTS, { act: 'change', ...at, base, change: { value: 'new', tags: [] } })
  expect(only(changed)?.change).toEqual({ value: 'new' })
  expect(reduceDrafts(changed, { act: 'change', ...at, base, change: { value: 'old' } }).size).toBe(0)
})

test('a new value of a sealed secret is always a change: nobody sees whether it is the same', () => {
  const base = stored({ type: 'sealed', value: '' })
  expect(reduceDrafts(NO_DRAFTS, { act: 'change', ...at, base, change: { value: '' } }).size).toBe(1)
})

test('deleting what is not stored yet forgets it', () => {
  const added = reduceDrafts(NO_DRAFTS, { act: 'change', ...at, base: null, change: { value: 'new' } })
  expect(reduceDrafts(added, { act: 'delete', ...at, base: null }).size).toBe(0)
})

test('only what was applied is forgotten: what was typed meanwhile stays', () => {
  const base = stored()
  const first = reduceDrafts(NO_DRAFTS, { act: 'change', ...at, base, change: { value: 'one' } })
  const applied = [...first.values()]
  const second = reduceDrafts(first, { act: 'change', ...at, base, change: { value: 'two' } })
  const now = stored({ value: 'one', version: 2 })
  const forget = { act: 'forget', drafts: applied, secrets: new Map([['staging', [now]]]) } as const
  expect([...reduceDrafts(second, forget).values()]).toEqual([
    { ...at, base: now, isDeleted: false, change: { value: 'two' } },
  ])
  expect(reduceDrafts(first, forget).size).toBe(0)
})

test('what is typed while a new name is applied stands upon the renamed secret, without what was applied', () => {
  const base = stored()
  const first = reduceDrafts(NO_DRAFTS, { act: 'change', ...at, base, change: { key: 'NEW' } })
  const second = reduceDrafts(first, { act: 'change', ...at, base, change: { value: 'two' } })
  const now = stored({ key: 'NEW', version: 2 })
  const secrets = new Map([['staging', [now]]])
  const left = reduceDrafts(second, { act: 'forget', drafts: [...first.values()], secrets })
  expect([...left]).toEqual([
    [
      'staging / NEW',
      { environmentId: 'staging', row: '/ NEW', base: now, isDeleted: false, change: { value: 'two' } },
    ],
  ])
})

test('what is stored in one environment is no ground for the drafts of another', () => {
  const base = stored()
  const drafts = reduceDrafts(NO_DRAFTS, { act: 'change', ...at, base, change: { value: 'new' } })
  const rebased = reduceDrafts(drafts, { act: 'rebase', secrets: new Map([['production', []]]) })
  expect(only(rebased)?.base).toBe(base)
})

test('a draft of a new secret becomes a change of the one that somebody else added', () => {
  const added = reduceDrafts(NO_DRAFTS, { act: 'change', ...at, base: null, change: { value: 'mine' } })
  const theirs = stored({ value: 'theirs' })
  const rebased = reduceDrafts(added, { act: 'rebase', secrets: new Map([['staging', [theirs]]]) })
  expect(only(rebased)).toMatchObject({ base: theirs, change: { value: 'mine' } })
})
