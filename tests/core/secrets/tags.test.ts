import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { normaliseTags, Tags, tagsOfFilter } from '../../../src/core/secrets/tags.ts'

test.each([
  [[], true],
  [['db', 'größe', ' spaced '], true],
  [['x'.repeat(64)], true],
  [['x'.repeat(65)], false],
  [[''], false],
  [[' '], false],
  [['a,b'], false],
  [['a\nb'], false],
  [['a\u200bb'], false],
  [[1], false],
  [Array.from({ length: 20 }, (_, index) => `t${index}`), true],
  [Array.from({ length: 21 }, (_, index) => `t${index}`), false],
])('%j are tags: %p', (tags, isValid) => {
  expect(Value.Check(Tags(), tags)).toBe(isValid)
})

test('tags are stored trimmed and in NFC, and none twice', () => {
  expect(normaliseTags([' a ', 'e\u0301'], 'tags')).toEqual(['a', '\u00e9'])
  expect(() => normaliseTags(['a', ' a'], 'tags')).toThrow('tags must not list a tag twice.')
})

test('a filter names tags with commas between them', () => {
  expect(tagsOfFilter(' a, b,,c c ,a', 'tags')).toEqual(['a', 'b', 'c c'])
  expect(tagsOfFilter(',,', 'tags')).toEqual([])
  const many = Array.from({ length: 100 }, (_, at) => `t${at}`)
  expect(tagsOfFilter(many.join(), 'tags')).toEqual(many)
  expect(() => tagsOfFilter([...many, 'x'].join(), 'tags')).toThrow('tags must name at most 100 tags.')
})

test('a filter refuses tags that would take long to normalise', () => {
  const marks = '\u0315\u0300\u05b0\u0323'.repeat(8)
  expect(() => tagsOfFilter(`a,${marks}`, 'tags')).toThrow(
    'tags[1] must have at most 30 combining marks in a row.',
  )
  expect(() => tagsOfFilter('a'.repeat(385), 'tags')).toThrow('tags[0] must have at most 64 characters.')
})
