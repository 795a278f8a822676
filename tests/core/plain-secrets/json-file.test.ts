import { describe, expect, test } from 'bun:test'
import { parseJsonFile, writeJsonFile } from '../../../src/core/plain-secrets/json-file.ts'

describe('a JSON file', () => {
  test('is an object of texts, in its order', () => {
    expect(parseJsonFile('\u{feff}{"B": "1", "a: b": "{\\"x\\": 1}", "__proto__": ""}')).toEqual([
      { key: 'B', value: '1' },
      { key: 'a: b', value: '{"x": 1}' },
      { key: '__proto__', value: '' },
    ])
    expect(parseJsonFile('{}')).toEqual([])
    expect(parseJsonFile([...writeJsonFile([{ key: '__proto__', value: 'x' }])].join(''))).toEqual([
      { key: '__proto__', value: 'x' },
    ])
  })

  test('with a key twice is refused: one of the values would be lost', () => {
    for (const text of ['{"A": "1", "A": "2"}', '{"A": "1", "\\u0041": "1"}']) {
      expect(() => parseJsonFile(text)).toThrow(
        expect.objectContaining({
          status: 400,
          message: 'The JSON object has a key twice. Each key must be there once.',
        }),
      )
    }
  })

  test('of another form is refused, with none of its text', () => {
    const shape = 'The file must be a JSON object such as {"KEY": "value"}.'
    for (const text of [
      '',
      'needle',
      '[]',
      '"x"',
      'null',
      '1',
      '{"a": "b"',
      "{'a': 'b'}",
      '['.repeat(500_000),
    ]) {
      expect(() => parseJsonFile(text)).toThrow(expect.objectContaining({ status: 400, message: shape }))
    }
    for (const value of ['1', 'null', 'true', '{}', '["needle"]']) {
      expect(() => parseJsonFile(`{"a": "b", "needle": ${value}}`)).toThrow(
        expect.objectContaining({
          status: 400,
          message: 'Entry 2 of the JSON object must have a text as its value.',
        }),
      )
    }
  })

  test('has at most 2,000 entries, and is refused before it is parsed', () => {
    const fields = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"${index}":"x:\\":"`).join(',')}}`
    expect(parseJsonFile(fields(2000))).toHaveLength(2000)
    const start = performance.now()
    expect(() => parseJsonFile(fields(60_000))).toThrow(
      expect.objectContaining({ status: 400, message: 'The file must have at most 2,000 entries.' }),
    )
    expect(performance.now() - start).toBeLessThan(1000)
  })
})
