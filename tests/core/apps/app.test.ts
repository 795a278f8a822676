import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { CreateApp, inputValues, UpdateApp } from '../../../src/core/apps/app.ts'

test('a name is stored trimmed and in NFC, a description in NFC, and only what was sent', () => {
  expect(inputValues({ name: ' Cafe\u0301 ', description: ' e\u0301 ' })).toEqual({
    name: 'Caf\u00e9',
    description: ' \u00e9 ',
  })
  expect(inputValues({ description: null })).toEqual({ description: null })
  expect(inputValues({ name: 'x' })).toEqual({ name: 'x' })
})

test('an app may be created with 1 to 100 environments', () => {
  const environments = (count: number) => Array.from({ length: count }, (_, n) => `e${n}`)
  const check = (count: number) => Value.Check(CreateApp, { name: 'x', environments: environments(count) })
  expect([0, 1, 100, 101].map(check)).toEqual([false, true, true, false])
})

test('a change needs a field, and a description may be null or 10,000 characters long', () => {
  const check = (body: unknown) => Value.Check(UpdateApp, body)
  expect(check({})).toBe(false)
  expect(check({ description: null })).toBe(true)
  expect(check({ name: null })).toBe(false)
  expect(check({ description: '😀'.repeat(10_000) })).toBe(true)
  expect(check({ description: '😀'.repeat(10_001) })).toBe(false)
})
