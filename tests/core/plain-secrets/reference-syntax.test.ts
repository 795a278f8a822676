// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references are written like that.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseReferences, type Reference } from '../../../src/core/plain-secrets/reference-syntax.ts'

const named = (reference: Partial<Reference>): Reference => ({
  app: null,
  environment: null,
  path: '/',
  key: 'KEY',
  ...reference,
})

describe('a reference', () => {
  const cases: readonly [string, Partial<Reference>][] = [
    ['${KEY}', {}],
    ['${lower-case_key1}', { key: 'lower-case_key1' }],
    ['${/path/KEY}', { path: '/path' }],
    ['${path/KEY}', { path: '/path' }],
    ['${/a/b/KEY}', { path: '/a/b' }],
    ['${//a//b//KEY}', { path: '/a/b' }],
    ['${/KEY}', {}],
    ['${prod.KEY}', { environment: 'prod' }],
    ['${prod./path/KEY}', { environment: 'prod', path: '/path' }],
    ['${prod.path/KEY}', { environment: 'prod', path: '/path' }],
    ['${prod./v1.2/a.b}', { environment: 'prod', path: '/v1.2', key: 'a.b' }],
    ['${Billing::prod.KEY}', { app: 'Billing', environment: 'prod' }],
    ['${My app::prod./path/KEY}', { app: 'My app', environment: 'prod', path: '/path' }],
    ['${v1.2::prod.KEY}', { app: 'v1.2', environment: 'prod' }],
  ]
  for (const [text, reference] of cases) {
    test(`${text} is read`, () => {
      expect(parseReferences(text)).toEqual([{ written: text, reference: named(reference) }])
    })
  }

  test('stands among text, and beside others', () => {
    expect(parseReferences('postgres://${USER}:${/db/PASS}@h$$')).toEqual([
      'postgres://',
      { written: '${USER}', reference: named({ key: 'USER' }) },
      ':',
      { written: '${/db/PASS}', reference: named({ path: '/db', key: 'PASS' }) },
      '@h$$',
    ])
  })
})

describe('text that is no reference', () => {
  const cases = [
    '',
    'text',
    '$KEY',
    '$',
    '${',
    '${}',
    '${KEY',
    '${/}',
    '${prod.}',
    '${.KEY}',
    '${prod./path/}',
    '${::prod.KEY}',
    '${app::KEY}',
    '${app::.KEY}',
    '${a${b}',
    '${{ secrets.KEY }}',
    '${{KEY}}',
    '${{ ${KEY} }}',
    '${{KEY}',
    '}${',
  ]
  for (const text of cases) {
    test(`${text} stays in one piece`, () => {
      expect(parseReferences(text)).toEqual(text === '' ? [] : [text])
    })
  }

  test('ends where it ends: what follows is read', () => {
    const reference = { written: '${B}', reference: named({ key: 'B' }) }
    expect(parseReferences('${}${B}')).toEqual(['${}', reference])
    expect(parseReferences('${{A}}${B}')).toEqual(['${{A}}', reference])
    expect(parseReferences('${{A}${B}')).toEqual(['${{A}', reference])
    expect(parseReferences('${A${x}${B}')).toEqual(['${A${x}', reference])
  })
})

describe('reading any value', () => {
  const braces = fc
    .array(fc.constantFrom('$', '{', '}', '${', '}}', '${{', '.', '/', '::', 'a', 'é'), { maxLength: 40 })
    .map((parts) => parts.join(''))

  test('loses nothing: the pieces give the value again, and no two texts are neighbours', () => {
    fc.assert(
      fc.property(braces, (value) => {
        const pieces = parseReferences(value)
        expect(pieces.map((piece) => (typeof piece === 'string' ? piece : piece.written)).join('')).toBe(
          value,
        )
        for (const [index, piece] of pieces.entries()) {
          expect(typeof piece === 'string' && typeof pieces[index + 1] === 'string').toBe(false)
        }
      }),
      { numRuns: 3000 },
    )
  })

  test('takes linear time, whatever is left open', () => {
    for (const part of ['${', '${{', '${{ }', '${{ } ${', '${a', '${}', '}}${{', '${::', '${////']) {
      const start = performance.now()
      parseReferences(part.repeat(Math.floor(1_000_000 / part.length)))
      expect(performance.now() - start, part).toBeLessThan(2000)
    }
  })
})
