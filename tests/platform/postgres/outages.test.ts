import { expect, test } from 'bun:test'
import { isLoss, isUnavailable, outageOf } from '../../../src/platform/postgres/outages.ts'

test('an error of a socket of workerd, which has no code, is a database that cannot be reached', () => {
  const error = new Error('closed')
  error.stack = 'Error: closed\n    at Socket._writeGeneric (node-internal:internal_net:804:27)'
  expect([outageOf(error), isUnavailable(error), isLoss(error)]).toEqual(['unreachable', true, true])
})

test('any other error without a code is no outage', () => {
  expect([new Error('x'), new TypeError('x'), null, 'x'].map(outageOf)).toEqual([null, null, null, null])
})
