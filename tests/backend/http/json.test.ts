import { expect, spyOn, test } from 'bun:test'
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

const TOO_MANY_VALUES = 'The body must have at most 50000 values.'
const TOO_MANY_FIELDS = 'An object in the body must have at most 1000 fields.'

test.each<[string, (count: number) => string, number, string]>([
  // The array itself is a value, too.
  ['numbers', (count) => `[${list(count - 1, () => '0')}]`, 50_000, TOO_MANY_VALUES],
  ['empty objects', (count) => `[${list(count - 1, () => '{ }')}]`, 50_000, TOO_MANY_VALUES],
  [
    'arrays of one',
    (count) => `[${list(count / 2 - 1, () => '[0]')}${rest(count)}]`,
    50_000,
    TOO_MANY_VALUES,
  ],
  [
    'objects of one',
    (count) => `[${list(count / 2 - 1, () => '{"a":0}')}${rest(count)}]`,
    50_000,
    TOO_MANY_VALUES,
  ],
  ['fields', (count) => `{${list(count, (i) => `"f${i}":0`)}}`, 1000, TOO_MANY_FIELDS],
  ['numbers as names', (count) => `[0,{${list(count, (i) => `"${i * 7919}":0`)}}]`, 1000, TOO_MANY_FIELDS],
  ['fields and texts', (count) => `{${list(count, (i) => `"f${i}":":,[{"`)}}`, 1000, TOO_MANY_FIELDS],
  [
    'fields after others',
    (count) => `[{"a":{"b":0}},{${list(count, () => '"a":{"b":0}')}}]`,
    1000,
    TOO_MANY_FIELDS,
  ],
])('of %s, as many as the limit allows are parsed, and no more', (_, text, limit, error) => {
  expect(said(text(limit))).toEqual(JSON.parse(text(limit)))
  expect(said(text(limit + 1))).toBe(error)
})

test('a text beyond a limit is not parsed', () => {
  const parse = spyOn(JSON, 'parse')
  try {
    expect(said(`{${list(100_000, (i) => `"${i * 7919}":0`)}}`)).toBe(TOO_MANY_FIELDS)
    expect(parse).not.toHaveBeenCalled()
  } finally {
    parse.mockRestore()
  }
})

const list = (count: number, item: (index: number) => string) =>
  Array.from({ length: Math.floor(count) }, (_, i) => item(i)).join(',')

const rest = (count: number) => (count % 2 === 0 ? ',0' : ',0,0')

// Padded, so that 1 MB of them are within the limits on values and fields.
test.each<[string, (length: number) => string]>([
  ['many numbers after an escape', (length) => `["\\u0061",${'0,'.padEnd(25).repeat(length / 25)}0]`],
  ['one text of escapes', (length) => `["${'\\u0061'.repeat(length / 6)}"]`],
  ['many names with escapes', (length) => `[${names(length / 70)}]`],
  ['many empty texts', (length) => `[${'"",'.padEnd(25).repeat(length / 25)}""]`],
  ['one text of spaces that is not closed', (length) => `["${' '.repeat(length)}" `],
  ['many texts __proto__', (length) => `[${'"__proto__",'.padEnd(25).repeat(length / 25)}0]`],
])('the time for %s grows with its length, not with the square of it', (_, body) => {
  const [short, long] = [body(250_000), body(1_000_000)]
  // Four times the text: four times the time, and not sixteen times.
  expect(fastest(() => void said(long))).toBeLessThan(10 * fastest(() => void said(short)) + 50)
})

const names = (count: number) => list(count, (i) => `{"\\u0061${i.toString(36)}":0}`.padEnd(69))

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
