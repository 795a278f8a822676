import { expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { describeFault } from '../../../src/backend/http/validation.ts'
import { StrictObject } from '../../../src/core/schema.ts'

const Body = StrictObject({
  name: Type.String(),
  apps: Type.Optional(Type.Array(StrictObject({ id: Type.String() }), { maxItems: 3 })),
})
const sentence = (schema: TSchema, value: unknown) =>
  describeFault(schema, value, Value.Errors(schema, value).First())

test('an unknown field is named before the missing one that it may be a misspelling of', () => {
  expect(sentence(Body, { nmae: 'x' })).toBe('Unknown field "nmae".')
  expect(sentence(Body, { name: 'x', apps: [{ id: 'a' }, { ids: 'b' }] })).toBe(
    'Unknown field "apps[1].ids".',
  )
})

test('other faults are told by the first that the validator finds', () => {
  expect(sentence(Body, {})).toBe('name is required.')
  expect(sentence(Body, { name: 'x', apps: Array(4).fill({ id: 'a' }) })).toBe(
    'apps must have at most 3 items.',
  )
  expect(sentence(Body, [])).toBe('The body must be an object.')
  expect(describeFault(Body, {}, undefined)).toBe('The request is not valid.')
})
