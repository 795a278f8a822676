import { expect, test } from 'bun:test'
import { lineDifference, summaryOf } from '../../../src/frontend/app/secrets/line-difference.ts'

const shown = (before: string, after: string) =>
  lineDifference(before, after).map(
    ({ kind, number, parts }) =>
      `${kind} ${number} ${parts.map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join('')}`,
  )

test('lines that changed have the words that differ marked', () => {
  expect(shown('a\nhost one\nz', 'a\nhost two\nz\n')).toEqual([
    'same 1 a',
    'remove 2 host [one]',
    'add 2 host [two]',
    'same 3 z',
  ])
})

test.each([
  ['a', 'a', 'unchanged'],
  ['a\nb', 'a', '1 removed'],
  ['a', 'a\nb\nc', '2 added'],
  ['a\nb', 'c\nd\ne', '2 lines changed, 1 added'],
])('from %j to %j: %s', (before, after, summary) => {
  expect(summaryOf(lineDifference(before, after))).toBe(summary)
})
