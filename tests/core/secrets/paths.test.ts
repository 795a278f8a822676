import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { normalisePath, pathFault } from '../../../src/core/secrets/paths.ts'

test.each([
  ['', '/'],
  ['/', '/'],
  ['//', '/'],
  ['db', '/db'],
  ['/db/', '/db'],
  ['//a///b//', '/a/b'],
  ['/.env/a-b_c.d', '/.env/a-b_c.d'],
  [Array(16).fill('a').join('/'), `/${Array(16).fill('a').join('/')}`],
  ['x'.repeat(64), `/${'x'.repeat(64)}`],
])('%j is the path %j', (text, path) => {
  expect(pathFault(text, 'path')).toBeNull()
  expect(normalisePath(text)).toBe(path)
})

test.each([
  ['/.', /"\." or "\.\."/],
  ['a/../b', /"\." or "\.\."/],
  ['a b', /letters, digits/],
  ['a\\b', /letters, digits/],
  ['ä', /letters, digits/],
  ['a\nb', /letters, digits/],
  ['%2e%2e', /letters, digits/],
  ['x'.repeat(65), /1 to 64/],
  [Array(17).fill('a').join('/'), /at most 16 segments/],
  [Array(9).fill('x'.repeat(60)).join('/'), /at most 512 characters/],
  ['/'.repeat(100_000), /at most 512 characters/],
])('%j is no path', (text, sentence) => {
  expect(pathFault(text, 'path')).toMatch(sentence)
})

test('a path in its form stays as it is, and is never longer than what was sent and a slash', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('/', 'a', '.', '-', 'Z', '0') }), (text) => {
      fc.pre(pathFault(text, 'path') === null)
      const path = normalisePath(text)
      expect(normalisePath(path)).toBe(path)
      expect(pathFault(path, 'path')).toBeNull()
      expect(path).toMatch(/^\/$|^(?:\/[A-Za-z0-9_.-]{1,64}){1,16}$/)
      expect(path.length).toBeLessThanOrEqual(text.length + 1)
    }),
  )
})
