import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { describeFaults } from '../../src/backend/validation.ts'

const fault = (type: ValueErrorType, path: string, schema = {}) =>
  ({ type, path, value: undefined, schema: { ...Type.Any(), ...schema } }) as ValueError
const missing = fault(ValueErrorType.ObjectRequiredProperty, '/name')
const unknown = fault(ValueErrorType.ObjectAdditionalProperties, '/nmae')
const tooMany = fault(ValueErrorType.ArrayMaxItems, '/apps', { maxItems: 3 })

/** Faults of which the last costs too much to look for. */
function* andThenTooMuch(...faults: ValueError[]) {
  yield* faults
  throw new Error('looked for one fault too many')
}

test('a field that nobody knows goes before one that is missing', () => {
  expect(describeFaults([missing, unknown, tooMany])).toBe('Unknown field "nmae".')
  expect(describeFaults([missing, tooMany])).toBe('name is required.')
  expect(describeFaults([])).toBe('The request is not valid.')
})

test('faults are looked for only until there is one to tell of', () => {
  expect(describeFaults(andThenTooMuch(tooMany))).toBe('apps must have at most 3 items.')
  expect(describeFaults(andThenTooMuch(unknown))).toBe('Unknown field "nmae".')
  expect(describeFaults(andThenTooMuch(missing, unknown))).toBe('Unknown field "nmae".')
})
