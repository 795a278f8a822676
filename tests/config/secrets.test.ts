import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { CONFIGURATION, type Command, readConfig } from '../../src/config.ts'
import { backendFaults, embeddedVariables, faultsOf } from '../support/variables.ts'

const secretNames = CONFIGURATION.filter((row) => row.secret).map((row) => row.name)
let directory = ''

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-config-'))
})

afterAll(() => rmSync(directory, { recursive: true }))

function file(name: string, content: string | Uint8Array): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

describe('secrets in files', () => {
  test('every secret, and no other variable, can be read from the file that its _FILE names', () => {
    const path = file('secrets', 'x')
    const refused = CONFIGURATION.filter(({ name }) => {
      const other = name === 'DATABASE_PASSWORD' ? { DATABASE_URL: '' } : {}
      const faults = backendFaults({ ...other, [name]: 'y', [`${name}_FILE`]: path })
      return faults.includes(`${name} and ${name}_FILE are both set; remove one of them.`)
    })
    expect(refused.map((row) => row.name)).toEqual(secretNames)
    expect(secretNames.toSorted()).toEqual([
      'DATABASE_PASSWORD',
      'DATABASE_URL',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'REDIS_PASSWORD',
      'REDIS_URL',
      'SECRET_KEY',
      'SERVER_SECRET',
      'SETUP_TOKEN',
      'SMTP_PASSWORD',
      'UPSTASH_REDIS_REST_TOKEN',
    ])
  })

  test.each(['', '\n', '\r\n', '\n\n'])('a trailing line end %p does not belong to the secret', (end) => {
    const config = readConfig('backend', {
      HOST: 'a.example',
      SECRET_KEY_FILE: file('key', `${'a1'.repeat(32)}${end}`),
      SERVER_SECRET: embeddedVariables.SERVER_SECRET,
      DATABASE_HOST: 'db',
      DATABASE_PASSWORD_FILE: file('password', ` pa ss ${end}`),
    })
    expect(config.secretKey).toEqual(new Uint8Array(32).fill(0xa1))
    expect(config.database?.password).toBe(' pa ss ')
  })

  test('a file that can not be used is a fault that names variable and path', () => {
    const missing = join(directory, 'missing')
    const empty = file('empty', '\n')
    const binary = file('binary', new Uint8Array([0xff, 0xfe]))
    const cases = [
      [missing, `The file "${missing}" of SETUP_TOKEN_FILE can't be read: there is no such file.`],
      [directory, `The file "${directory}" of SETUP_TOKEN_FILE can't be read: it is a directory.`],
      [binary, `The file "${binary}" of SETUP_TOKEN_FILE can't be read: it is not UTF-8 text.`],
      [empty, `The file "${empty}" of SETUP_TOKEN_FILE is empty.`],
      ['hunter2hunter2', `The file of SETUP_TOKEN_FILE can't be read: there is no such file.`],
    ] as const
    for (const [path, fault] of cases) expect(backendFaults({ SETUP_TOKEN_FILE: path })).toEqual([fault])
  })
})

test('no fault shows the value of a secret, whichever variable holds it', () => {
  const value = fc.string({ unit: 'grapheme-ascii', minLength: 12, maxLength: 40 })
  const shape = fc.constantFrom(
    (text: string) => text,
    (text: string) => `postgres://user:${text}@host/db?sslmode=x`,
    (text: string) => `postgres://user:1?sslrootcert=${text}@host/db`,
    (text: string) => `postgres://user:1?${text}=x@host/db`,
    (text: string) => `redis://:${text}@host:port/`,
    (text: string) => `rediss://${text}`,
    (text: string) => `-----BEGIN CERTIFICATE-----${text}`,
  )
  const entry = fc.tuple(
    fc.constantFrom(...secretNames.flatMap((name) => [name, `${name}_FILE`])),
    value.filter((text) => !/^\.{0,2}[/\\]/.test(text)),
    shape,
  )
  const misplaced = fc.constantFrom('HOST', 'ALLOWED_ORIGINS', 'UPSTASH_REDIS_REST_URL', 'DATABASE_HOST')
  const role = fc.constantFrom<Command[]>('serve', 'backend', 'worker', 'frontend', 'migrate')
  fc.assert(
    fc.property(
      role,
      fc.array(entry, { maxLength: 9 }),
      misplaced,
      value,
      (role, entries, name, password) => {
        const variables = Object.fromEntries(entries.map(([variable, text, form]) => [variable, form(text)]))
        const url = `https://user:${password.replaceAll(',', '')}@host`
        const faults = faultsOf(role, { ...variables, [name]: url, PORT: 'junk' })
        expect(faults).not.toEqual([])
        for (const text of [...entries.map(([, text]) => text), password]) {
          expect(faults.join('\n')).not.toContain(text)
          expect(faults.join('\n')).not.toContain(JSON.stringify(text).slice(1, -1))
        }
      },
    ),
    { numRuns: 1000 },
  )
})
