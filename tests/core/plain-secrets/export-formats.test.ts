import { describe, expect, test } from 'bun:test'
import { YAML } from 'bun'
import fc from 'fast-check'
import { fitsDotenv, parseDotenv } from '../../../src/core/plain-secrets/dotenv.ts'
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportFile,
  kubernetesName,
} from '../../../src/core/plain-secrets/export-formats.ts'
import { parseJsonFile } from '../../../src/core/plain-secrets/json-file.ts'
import { countTurns } from '../../support/event-loop.ts'

const object = (entries: readonly { key: string; value: string }[]) =>
  Object.fromEntries(entries.map(({ key, value }) => [key, value]))

/** How each format is read back, by a reader that isn't the writer where there is one. */
const readers: Readonly<Record<ExportFormat, (text: string) => unknown>> = {
  dotenv: (text) => object(parseDotenv(text)),
  json: (text) => object(parseJsonFile(text)),
  yaml: (text) => YAML.parse(text),
  kubernetes: (text) => {
    const { data } = YAML.parse(text) as { data: Record<string, string> }
    return Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
    )
  },
}

const hard = [
  'yes',
  'no',
  'null',
  '~',
  '1',
  '1e3',
  '0x1F',
  '1_000',
  '2026-11-22',
  'true',
  '',
  ' ',
  ' x ',
  '- a',
  '? a',
  ': a',
  'a: b',
  '# a',
  '&a',
  '*a',
  '!a',
  '|',
  '>',
  '%a',
  '@a',
  '`a`',
  '{a}',
  '[a]',
  '"',
  "'",
  "it's",
  '\\',
  '\n',
  'a\nb',
  '\r\n',
  '\t',
  '\u{85}',
  '\u{2028}',
  '\u{feff}',
  '\u{7f}',
  '\u{1f510}',
  '<<',
  '=',
  '---',
  '...',
]
const names = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/)
  .filter((key) => fitsDotenv({ key, value: 'v' }))
const keys = fc.uniqueArray(names, { maxLength: 8 })

describe('an exported file', () => {
  for (const format of EXPORT_FORMATS) {
    test(`as ${format} is read as what was exported`, async () => {
      const entries = hard.map((value, index) => ({ key: `K${index}`, value }))
      expect(readers[format]((await exportFile(format, entries, 'x')).text)).toEqual(object(entries))
      await fc.assert(
        fc.asyncProperty(
          keys,
          fc.array(fc.string({ unit: 'grapheme' }), { minLength: 8, maxLength: 8 }),
          async (names, texts) => {
            const some = names.map((key, index) => ({ key, value: texts[index] ?? '' }))
            expect(readers[format]((await exportFile(format, some, 'x')).text) ?? {}).toEqual(object(some))
          },
        ),
      )
    })
  }

  test('as YAML and JSON has keys of any form', async () => {
    const entries = [...hard, '__proto__', 'constructor', '10', '9'].map((key) => ({
      key: `${key}`,
      value: key,
    }))
    for (const format of ['json', 'yaml'] as const) {
      const { text } = await exportFile(format, entries, 'x')
      expect(Object.entries(readers[format](text) as object).sort()).toEqual(
        Object.entries(object(entries)).sort(),
      )
    }
  })

  test('as YAML marks a key of which readers would not find the end', async () => {
    const [short, long] = [`${'\u0001'.repeat(170)}ab`, '\u0001'.repeat(256)]
    const { text } = await exportFile(
      'yaml',
      [
        { key: short, value: '1' },
        { key: long, value: '2' },
      ],
      'x',
    )
    const [first, ...rest] = text.split('\n')
    expect(first).toBe(`${JSON.stringify(short)}: "1"`)
    expect(first?.indexOf(': ')).toBe(1024)
    expect(rest).toEqual([`? ${JSON.stringify(long)}`, ': "2"', ''])
    expect(YAML.parse(text)).toEqual({ [short]: '1', [long]: '2' })
  })

  test('as Kubernetes is a Secret', async () => {
    const { text, contentType } = await exportFile(
      'kubernetes',
      [{ key: 'a.b', value: 'é' }],
      'billing-production',
    )
    expect(YAML.parse(text)).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'billing-production' },
      type: 'Opaque',
      data: { 'a.b': 'w6k=' },
    })
    expect(contentType).toBe('application/yaml')
  })

  test('is refused where a key appears twice, whatever the format', async () => {
    const entries = [
      { key: 'A', value: '1' },
      { key: 'A', value: '1' },
    ]
    for (const format of EXPORT_FORMATS) {
      await expect(exportFile(format, entries, 'x')).rejects.toMatchObject({
        status: 400,
        message: 'Several paths have the same key. Choose one of them with path.',
      })
    }
  })

  test('is refused where the format can’t hold a key or a value, without naming it', async () => {
    const refused: readonly [ExportFormat, string, string][] = [
      ['dotenv', '$(id)', ''],
      ['dotenv', 'a.b', ''],
      ['dotenv', 'NUL', 'a\0b'],
      ['dotenv', 'RANDOM', '1'],
      ['kubernetes', 'a b', ''],
      ['kubernetes', '..', ''],
      ['kubernetes', '..a', ''],
      ['kubernetes', 'x'.repeat(254), ''],
    ]
    for (const [format, key, value] of refused) {
      const entries = [
        { key: 'A', value: '' },
        { key, value },
      ]
      await expect(exportFile(format, entries, 'x')).rejects.toMatchObject({
        status: 400,
        message: "1 secret has a key or value that this format can't hold. Choose the format json or yaml.",
      })
    }
  })
})

describe('the name of a Secret', () => {
  const id = '0199d2c4-7a51-7c1e-9f00-5b6c7d8e9fa0'

  test('has letters, digits and hyphens', () => {
    expect(kubernetesName('Billing', 'Production', id)).toBe('billing-production')
    expect(kubernetesName(' My  app.v2', 'pre_prod', id)).toBe('my-app-v2-pre-prod')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ maxLength: 300 }), (app, environment) => {
        const name = kubernetesName(app, environment, id)
        expect(name).toMatch(/^[a-z0-9](?:[-a-z0-9]{0,251}[a-z0-9])?$/)
      }),
    )
  })

  test('has the end of the environment’s id where it lacks something of the names', () => {
    expect(kubernetesName('計画', 'Production', id)).toBe('production-7d8e9fa0')
    expect(kubernetesName('C++', 'Production', id)).toBe('c-production-7d8e9fa0')
    expect(kubernetesName('Café', 'Production', id)).toBe('caf-production-7d8e9fa0')
    expect(kubernetesName('日本', '本', id)).toBe('secrets-7d8e9fa0')
    expect(kubernetesName('-', '_', id)).toBe('secrets-7d8e9fa0')
    const [long, other] = ['b'.repeat(64), 'c'.repeat(188)]
    expect(kubernetesName(long, other, id)).toBe(`${long}-${other}`)
    expect(kubernetesName(long, `${other}d`, id)).toBe(`${long}-${'c'.repeat(179)}-7d8e9fa0`)
  })
})

test('of a large file to export, the event loop has turns while values that take long are written', async () => {
  const values = {
    dotenv: `'${'$'.repeat(65_000)}`,
    json: '\u0001'.repeat(65_000),
    yaml: '\u007f'.repeat(65_000),
  }
  for (const format of ['dotenv', 'json', 'yaml'] as const) {
    const entries = Array.from({ length: 84 }, (_, n) => ({ key: `K${n}`, value: values[format] }))
    using counter = countTurns()
    await exportFile(format, entries, 'x')
    expect([format, counter.turns > 2]).toEqual([format, true])
  }
})
