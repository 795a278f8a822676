import { expect, test } from 'bun:test'
import { type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { createApp } from '../../../src/backend/app.ts'
import { describeFault } from '../../../src/backend/http/validation.ts'
import type { Context } from '../../../src/context.ts'
import { Nullable, StrictObject } from '../../../src/core/schema.ts'
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

test('what an array has beyond the items that it may have is not looked at', () => {
  const Body = StrictObject({ items: Type.Array(StrictObject({}), { maxItems: 2 }) })
  const beyond = {
    get unknown() {
      throw new Error('this was looked at')
    },
  }
  expect(sentence(Body, { items: [{}, {}, beyond] })).toBe('items must have at most 2 items.')
  expect(sentence(Body, { items: [{}, { unknown: 1 }, {}] })).toBe('Unknown field "items[1].unknown".')
})

test('a fault within a field that may be null is told like any other', () => {
  const own = StrictObject({ value: Type.String(), active: Type.Optional(Type.Boolean()) })
  const kind = Type.Union([Type.Literal('a'), Type.Literal('b')])
  const tags = Type.Array(Type.String(), { maxItems: 1 })
  const body = StrictObject({ items: Type.Array(StrictObject({ own: Nullable(own) })) })
  expect(sentence(body, { items: [{ own: { value: 'x', actvie: true } }] })).toBe(
    'Unknown field "items[0].own.actvie".',
  )
  expect(sentence(body, { items: [{ own: { value: 1 } }] })).toBe('items[0].own.value must be a string.')
  expect(sentence(body, { items: [{ own: 'x' }] })).toBe('items[0].own must be an object.')
  expect(sentence(StrictObject({ kind: Nullable(kind) }), { kind: 'c' })).toBe('kind must be one of a, b.')
  const many = StrictObject({ tags: Nullable(tags) })
  expect(sentence(many, { tags: ['a', 'b'] })).toBe('tags must have at most 1 items.')
  expect(sentence(many, { tags: [1] })).toBe('tags[0] must be a string.')
  expect(sentence(many, {})).toBe('tags is required.')
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
