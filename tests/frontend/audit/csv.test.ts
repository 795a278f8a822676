import { describe, expect, test } from 'bun:test'
import { csvField } from '../../../src/frontend/app/audit/csv.ts'
import { auditQuery, auditSearch, entryIn } from '../../../src/frontend/app/audit/search.ts'

describe('a field of the CSV file', () => {
  test('is quoted where it has to be', () => {
    expect(csvField('plain')).toBe('plain')
    expect(csvField('a "b", c')).toBe('"a ""b"", c"')
    expect(csvField('two\nlines')).toBe('"two\nlines"')
    expect(csvField(null)).toBe('')
    expect(csvField(-3)).toBe('-3')
  })

  test('is never a formula of a spreadsheet', () => {
    expect(csvField('=HYPERLINK("http://evil.example")')).toBe(`"'=HYPERLINK(""http://evil.example"")"`)
    for (const start of ['+', '-', '@', '\t', '\r']) expect(csvField(`${start}1`)).toContain(`'${start}1`)
  })

  test('has no formula for a spreadsheet that separates by semicolons or tabs', () => {
    expect(csvField("Eve;=cmd|'/C calc'!A0;x")).toBe("Eve;'=cmd|'/C calc'!A0;x")
    expect(csvField('a\t@b\t;-c')).toBe("a\t'@b\t;'-c")
    // To such a reader the quote in the middle is text: a line, too, ends a cell.
    expect(csvField('Eve\n+1\r\n=1')).toBe(`"Eve\n'+1\r\n'=1"`)
    expect(csvField('a;"=1"')).toBe(`"a;""'=1"""`)
    expect(csvField('a; b = c; d-e')).toBe('a; b = c; d-e')
  })
})

describe('the filters in the address', () => {
  test('keep what they understand and drop the rest', () => {
    const address = {
      from: '2026-02-31',
      to: '2026-11-20',
      outcome: 'perhaps',
      event: 'role.created',
      actor: 7,
      x: 'y',
    }
    expect(auditSearch(address)).toEqual({ to: '2026-11-20', event: 'role.created' })
  })

  test('have the API read whole days, the last one included', () => {
    const query = auditQuery({ from: '2026-11-18', to: '2026-11-18' })
    const hours = (Date.parse(query.to ?? '') - Date.parse(query.from ?? '')) / 3_600_000
    expect(hours).toBe(24)
  })

  test('name an entry with its time, or without', () => {
    expect(entryIn('abc@2026-11-21T09:38:04.218Z')).toEqual({
      id: 'abc',
      timestamp: '2026-11-21T09:38:04.218Z',
    })
    expect(entryIn('abc')).toEqual({ id: 'abc', timestamp: null })
    expect(entryIn('abc@soon')).toEqual({ id: 'abc', timestamp: null })
  })
})
