import { expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createApp } from '../../../src/backend/app.ts'
import { describeFault } from '../../../src/backend/http/validation.ts'
import type { Context } from '../../../src/context.ts'
import { StrictObject } from '../../../src/core/schema.ts'
import { testConfig } from '../../support/context.ts'

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

test('no name in any body takes an invisible character', () => {
  type Route = { method: string; path: string; hooks: { body?: { properties?: Record<string, TSchema> } } }
  const { routes } = createApp({ config: testConfig() } as unknown as Context)
  const names = (routes as unknown as Route[]).flatMap(({ method, path, hooks }) =>
    Object.entries(hooks.body?.properties ?? {})
      .filter(([field]) => /(^|_)name$/.test(field))
      .map(([field, schema]) => ({ field: `${method} ${path} ${field}`, schema })),
  )
  expect(names.length).toBeGreaterThan(10)
  for (const { field, schema } of names) {
    const accepted = ['Admin', 'Admin\u{FE0F}', 'Ad\u{200D}min', '\u{3164}'].filter((name) =>
      Value.Check(schema, name),
    )
    expect({ field, accepted }).toEqual({ field, accepted: ['Admin'] })
  }
})
