import { expect, test } from 'bun:test'
import type { Secret } from '../../../src/frontend/app/secrets/secret.ts'
import {
  foldersOf,
  isDifferent,
  isMissing,
  lettersOf,
  rowsOf,
  selectRows,
} from '../../../src/frontend/app/secrets/secret-rows.ts'

const named = (path: string, key: string, value: string, more: Partial<Secret> = {}) =>
  ({ path, key, value, tags: [], type: 'secret', ...more }) as unknown as Secret

const environments = ['dev', 'staging', 'prod'].map((id) => ({ id, name: id }))
const rowOf = (values: Record<string, Secret>) =>
  rowsOf(new Map(Object.entries(values).map(([id, secret]) => [id, [secret]])))[0]

test('equal values have the same letter, from the first environment on', () => {
  const row = rowOf({ dev: named('/', 'A', '1'), staging: named('/', 'A', '2'), prod: named('/', 'A', '1') })
  if (row === undefined) throw new Error('no row')
  expect([...lettersOf(row, environments).values()]).toEqual(['A', 'B', 'A'])
  expect([isDifferent(row), isMissing(row, environments)]).toEqual([true, false])
})

test('sealed values have no letters, and differ in no view', () => {
  const sealed = { type: 'sealed' as const }
  const row = rowOf({ dev: named('/', 'A', '1', sealed), staging: named('/', 'A', '2', sealed) })
  if (row === undefined) throw new Error('no row')
  expect(lettersOf(row, environments).size).toBe(0)
  expect([isDifferent(row), isMissing(row, environments)]).toEqual([false, true])
})

test('folders count what lies below them; the root counts only its own', () => {
  const rows = rowsOf(
    new Map([['dev', [named('/', 'A', '1'), named('/db', 'B', '1'), named('/db/replica', 'C', '1')]]]),
  )
  expect(foldersOf(rows).map(({ path, depth, count }) => [path, depth, count])).toEqual([
    ['/', 0, 1],
    ['/db', 1, 2],
    ['/db/replica', 2, 1],
  ])
  expect(selectRows(rows, { path: '/' }).map(({ key }) => key)).toEqual(['A'])
  expect(selectRows(rows, { path: '/db' }).map(({ key }) => key)).toEqual(['B', 'C'])
  expect(selectRows(rows, { q: 'c ' }).map(({ key }) => key)).toEqual(['C'])
})
