import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseJson } from '../../../src/backend/http/json.ts'

const said = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch (error) {
    return (error as Error).message
  }
}

const NUL = 'Text must not contain NUL characters.'
const ILL_FORMED = 'Text must be well-formed Unicode.'
const PROTO = 'A field must not be named __proto__.'
const NO_JSON = 'The body is not valid JSON.'

test.each([
  ['"\\u0000"', NUL],
  ['{"a\\u0000":1}', NUL],
  ['"\\\\u0000"', '\\u0000'],
  ['"\\\\\\u0000"', NUL],
  ['"\\ud83d\\ude00"', '😀'],
  ['"\\ud83d"', ILL_FORMED],
  ['"\\ud83dx"', ILL_FORMED],
  ['"\\ud83d\\n"', ILL_FORMED],
  ['"\\ud83d\\ud83d\\ude00"', ILL_FORMED],
  ['"\\ude00\\ud83d"', ILL_FORMED],
  ['["\\ud83d","\\ude00"]', ILL_FORMED],
  ['{"\\uDEAD":1}', ILL_FORMED],
  ['{"__proto__":1}', PROTO],
  ['[{"a":{"__proto__" \n\t: 1}}]', PROTO],
  ['{"\\u005f_proto\\u005F_":1}', PROTO],
  [`{"${'__proto__'.replace(/./g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)}":1}`, PROTO],
  ['["__proto__"]', ['__proto__']],
  ['{"a":"__proto__"}', { a: '__proto__' }],
  ['{"__proto__x":1,"x__proto__":2}', { __proto__x: 1, x__proto__: 2 }],
  ['', NO_JSON],
  ['"\\u00"', NO_JSON],
  ['"', NO_JSON],
  ['"\\', NO_JSON],
  ['"\\ud83d', NO_JSON],
  ['{"\\u0000":', NO_JSON],
  ['{"\\x5f_proto__":1}', NO_JSON],
])('%s is %j', (text, expected) => {
  expect(said(text)).toEqual(expected)
})

test('a text is taken for what JSON.parse makes of it, and what can’t be stored is refused wherever it stands', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('__proto__', '\0', '\ud83d', '\ude00', '\ud83d\ude00', '\\u0000', '"', '\\'),
  )
  const value = fc.letrec((tie) => ({
    any: fc.oneof({ maxDepth: 4 }, text, fc.integer(), tie('array'), tie('object')),
    array: fc.array(tie('any')),
    object: fc.array(fc.tuple(text, tie('any'))).map((fields) => new Map(fields)),
  })).any
  fc.assert(
    fc.property(value, fc.boolean(), (made, escaped) => {
      const source = escaped ? write(made).replace(/[a-z_]/g, escapeInStrings) : write(made)
      const strings = stringsIn(made)
      const isBad = strings.some(([string, isName]) => {
        return string.includes('\0') || !string.isWellFormed() || (isName && string === '__proto__')
      })
      const answer = said(source)
      if (isBad) expect([NUL, ILL_FORMED, PROTO] as unknown[]).toContain(answer)
      else expect(answer).toEqual(JSON.parse(source))
    }),
    { numRuns: 500 },
  )
})

test.each<[string, (length: number) => string]>([
  ['many numbers after an escape', (length) => `["\\u0061",${'0,'.repeat(length / 2)}0]`],
  ['one text of escapes', (length) => `["${'\\u0061'.repeat(length / 6)}"]`],
  ['many names with escapes', (length) => `{${names(length / 17)}}`],
  ['many empty texts', (length) => `[${'"",'.repeat(length / 3)}""]`],
  ['one text of spaces that is not closed', (length) => `["${' '.repeat(length)}" `],
  ['many texts __proto__', (length) => `[${'"__proto__",'.repeat(length / 12)}0]`],
])('the time for %s grows with its length, not with the square of it', (_, body) => {
  const [short, long] = [body(250_000), body(1_000_000)]
  // Four times the text: four times the time, and not sixteen times.
  expect(fastest(() => void said(long))).toBeLessThan(10 * fastest(() => void said(short)) + 50)
})

const names = (count: number) =>
  Array.from({ length: Math.floor(count) }, (_, i) => `"\\u0061${i.toString(36)}":0`).join(',')

function fastest(act: () => void): number {
  const times = [1, 2, 3, 4, 5].map(() => {
    // The processor's time: other processes don't count.
    const start = process.cpuUsage()
    act()
    return process.cpuUsage(start).user / 1000
  })
  return Math.min(...times)
}

/** JSON with the fields of a Map, also one named `__proto__`. */
function write(value: unknown): string {
  if (value instanceof Map) {
    return `{${[...value].map(([name, item]) => `${JSON.stringify(name)}:${write(item)}`).join(',')}}`
  }
  return Array.isArray(value) ? `[${value.map(write).join(',')}]` : JSON.stringify(value)
}

/** Letters stand in strings alone, as long as they are no escape themselves. */
const escapeInStrings = (letter: string, at: number, text: string) =>
  /\\u?[0-9a-f]{0,3}$/.test(text.slice(Math.max(0, at - 5), at))
    ? letter
    : `\\u00${letter.charCodeAt(0).toString(16)}`

function stringsIn(value: unknown, isName = false): [string, boolean][] {
  if (typeof value === 'string') return [[value, isName]]
  if (Array.isArray(value)) return value.flatMap((item) => stringsIn(item))
  if (value instanceof Map)
    return [...value].flatMap(([name, item]) => [...stringsIn(name, true), ...stringsIn(item)])
  return []
}
