import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { backendConfig, backendFaults, certificate, faultsOf, labelled } from '../support/variables.ts'

const parts = { DATABASE_URL: undefined, DATABASE_HOST: 'db.internal', DATABASE_PASSWORD: 'p@ss' }
let directory = ''
let certificatePath = ''

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'keyward-stores-'))
  certificatePath = join(directory, 'ca.pem')
  writeFileSync(certificatePath, certificate)
})

afterAll(() => rmSync(directory, { recursive: true }))

const encoded = {
  host: 'h',
  port: 5432,
  database: 'd',
  username: 'u',
  password: '',
  ssl: 'prefer',
  sslCa: null,
}

describe('the database', () => {
  test.each([
    ['postgres://u@h/d', encoded],
    [
      'postgresql://u:p%40%2F%C3%A9@h:6000/my%20d',
      { ...encoded, port: 6000, password: 'p@/é', database: 'my d' },
    ],
    [
      'postgres://u%20v:p@[2001:db8::1]/d',
      { ...encoded, username: 'u v', password: 'p', host: '2001:db8::1' },
    ],
    ['postgres://u@H.Example/d?sslmode=disable', { ...encoded, host: 'h.example', ssl: 'disable' }],
    ['postgres://u@h/d?sslmode=require', { ...encoded, ssl: 'require' }],
    ['postgres://u@h/d?sslmode=verify-full', { ...encoded, ssl: 'verify-full' }],
    ['postgres://u@h/d?sslrootcert=system', { ...encoded, ssl: 'verify-full' }],
    [
      'postgres://u@h/d?sslmode=verify-ca&sslrootcert=CA',
      { ...encoded, ssl: 'verify-ca', sslCa: certificate },
    ],
  ])('is understood from %s', (url, expected) => {
    const variables = { DATABASE_URL: url.replace('=CA', `=${encodeURIComponent(certificatePath)}`) }
    expect(backendConfig(variables).database).toEqual(expected as never)
    expect(readConfig('migrate', variables).database).toEqual(expected as never)
  })

  test.each([
    ['nonsense', 'must have the form'],
    ['mysql://u:p@h/d', 'must have the form'],
    ['postgres://h/d', 'must have the form'],
    ['postgres://u:p@h', 'must have the form'],
    ['postgres://u:p@/d', 'must have the form'],
    ['postgres://u:p@h/d/e', 'must have the form'],
    ['postgres://u:p@h:0/d', 'must have the form'],
    ['postgres://u:p@h1,h2/d', 'must have the form'],
    ['postgres://u:p#q@h/d', 'percent-encoded'],
    ['postgres://u:p%zz@h/d', 'percent-encoded'],
    ['postgres://u:p@h/d#x', 'must have the form'],
    ['postgres://u:p@h/d?sslmode=allow', 'sslmode of DATABASE_URL must be one of disable, prefer'],
    ['postgres://u:p@h/d?sslmode=', 'sslmode of DATABASE_URL must be one of'],
    ['postgres://u:p@h/d?schema=public', 'no others'],
    ['postgres://u:p@h/d?sslmode=disable&sslmode=require', 'once'],
    [
      'postgres://u:p@h/d?sslrootcert=%2Fno%2Fca.pem',
      "taken for a path, and the file can't be read: there is no",
    ],
    ['postgres://u:p@h/d?sslmode=require&sslrootcert=system', 'is not checked with its sslmode'],
  ])('can not be %s', (url, fault) => {
    const faults = backendFaults({ DATABASE_URL: url })
    expect(faults).toEqual([expect.stringContaining(fault)])
    expect(faults[0]).toContain('DATABASE_URL')
  })

  const byParts = {
    ...encoded,
    host: 'db.internal',
    database: 'keyward',
    username: 'keyward',
    password: 'p@ss',
  }
  test.each(
    labelled<object>([
      [{}, byParts],
      [
        { DATABASE_PORT: '6000', DATABASE_NAME: 'n', DATABASE_USER: 'u' },
        { ...byParts, port: 6000, database: 'n', username: 'u' },
      ],
      [{ DATABASE_HOST: '[::1]' }, { ...byParts, host: '::1' }],
      [{ DATABASE_HOST: '/var/run/postgresql' }, { ...byParts, host: '/var/run/postgresql' }],
      [{ DATABASE_SSLMODE: 'require' }, { ...byParts, ssl: 'require' }],
      [{ DATABASE_SSL_CA: certificate }, { ...byParts, ssl: 'verify-full', sslCa: certificate.trim() }],
      [
        { DATABASE_SSL_CA: 'CA', DATABASE_SSLMODE: 'verify-ca' },
        { ...byParts, ssl: 'verify-ca', sslCa: certificate },
      ],
    ]),
  )('is understood from its parts: %s', (_, variables, expected) => {
    const path = variables.DATABASE_SSL_CA === 'CA' ? { DATABASE_SSL_CA: certificatePath } : {}
    expect(backendConfig({ ...parts, ...variables, ...path }).database).toEqual(expected as never)
  })

  test.each(
    labelled<string>([
      [
        { DATABASE_URL: 'postgres://u@h/d' },
        'DATABASE_URL and DATABASE_HOST, DATABASE_PASSWORD are both set',
      ],
      [{ DATABASE_HOST: '' }, 'DATABASE_PASSWORD needs DATABASE_HOST.'],
      [{ DATABASE_PASSWORD: '' }, 'DATABASE_HOST needs DATABASE_PASSWORD.'],
      [{ DATABASE_HOST: 'db:5432' }, 'DATABASE_HOST is "db:5432"; it must be a host name or an IP address'],
      [{ DATABASE_PORT: 'tcp' }, 'DATABASE_PORT is "tcp"; it must be a whole number from 1 to 65535'],
      [
        { DATABASE_SSLMODE: 'on' },
        'DATABASE_SSLMODE is "on"; it must be disable, prefer, require, verify-ca or',
      ],
      [{ DATABASE_SSLMODE: 'prefer', DATABASE_SSL_CA: certificate }, 'DATABASE_SSL_CA is not checked with'],
      [
        { DATABASE_SSL_CA: '/no/ca.pem' },
        'DATABASE_SSL_CA is taken for a path, and the file "/no/ca.pem" can\'t be read',
      ],
      [
        { DATABASE_SSL_CA: '/dev/null' },
        'DATABASE_SSL_CA is taken for a path, but the file "/dev/null" isn\'t one',
      ],
      [
        { DATABASE_SSL_CA: certificate.replace('M', '!') },
        "DATABASE_SSL_CA is taken for PEM text, but it isn't",
      ],
      [{ DATABASE_SSL_CA: certificate.slice(0, -30) }, "DATABASE_SSL_CA is taken for PEM text, but it isn't"],
    ]),
  )('can not have the parts %s', (_, variables, fault) => {
    expect(backendFaults({ ...parts, ...variables })).toEqual([expect.stringContaining(fault)])
  })

  test('serve with a faulty database reports it and does not fall back to the embedded one', () => {
    const faults = faultsOf('serve', { DATABASE_PORT: '1', HOST: 'a.example' })
    expect(faults[0]).toBe('DATABASE_PORT needs DATABASE_HOST.')
  })
})
