import { describe, expect, test } from 'bun:test'
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

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, place) => `${name}${place}`)

test('of texts that differ in very many lines, all lines are removed, and all others added', () => {
  const text = (name: string) => [...numbered(name, 200), 'same', ...numbered(name, 200)].join('\n')
  const kinds = lineDifference(text('before'), text('after')).map(({ kind, number }) => `${kind} ${number}`)
  expect(kinds).toEqual([...numbered('remove ', 402).slice(1), ...numbered('add ', 402).slice(1)])
})

describe('a line that differs in very many words', () => {
  const line = (name: string, count: number) => numbered(name, count).join(' ')
  const markedIn = (before: string, after: string) =>
    lineDifference(before, after).map(({ parts }) => parts.filter(({ isMarked }) => isMarked).length)

  test('is marked as a whole', () => {
    expect(markedIn(line('before', 251), line('after', 251))).toEqual([1, 1])
    expect(markedIn(line('before', 250), line('after', 250))).toEqual([250, 250])
  })

  test('is so sooner among many lines that changed', () => {
    const lines = (name: string, words: number) => numbered(line(name, words), 100).join('\n')
    expect(markedIn(lines('before', 26), lines('after', 26))).toEqual(Array(200).fill(1))
    expect(markedIn(lines('before', 25), lines('after', 25))).toEqual(Array(200).fill(25))
  })
})

test.each([
  ['a', 'a', 'unchanged'],
  ['a\nb', 'a', '1 removed'],
  ['a', 'a\nb\nc', '2 added'],
  ['a\nb', 'c\nd\ne', '2 lines changed, 1 added'],
])('from %j to %j: %s', (before, after, summary) => {
  expect(summaryOf(lineDifference(before, after))).toBe(summary)
})
