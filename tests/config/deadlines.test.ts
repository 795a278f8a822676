import { expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import { backendConfig, backendFaults, embeddedVariables } from '../support/variables.ts'

test('the database is waited for 5 s by a read and 10 s by a change, unless told otherwise', () => {
  expect(backendConfig({}).deadlines).toEqual({
    statementMilliseconds: 5000,
    transactionMilliseconds: 10_000,
  })
  const told = { DATABASE_READ_TIMEOUT_SECONDS: '2', DATABASE_CHANGE_TIMEOUT_SECONDS: '25' }
  expect(backendConfig(told).deadlines).toEqual({
    statementMilliseconds: 2000,
    transactionMilliseconds: 25_000,
  })
})

test.each(['0', '26', '1.5', 'soon'])('a wait of %s seconds is refused', (value) => {
  for (const name of ['DATABASE_READ_TIMEOUT_SECONDS', 'DATABASE_CHANGE_TIMEOUT_SECONDS']) {
    expect(backendFaults({ [name]: value })).toEqual([
      `${name} is "${value}"; it must be a whole number from 1 to 25.`,
    ])
  }
})

test('deadlines alone do not name an external database: serve starts the embedded one', () => {
  const config = readConfig('serve', { ...embeddedVariables, DATABASE_READ_TIMEOUT_SECONDS: '3' })
  expect(config).toMatchObject({ database: null, deadlines: { statementMilliseconds: 3000 } })
})
