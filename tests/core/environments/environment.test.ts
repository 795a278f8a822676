import { describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import {
  CreateEnvironment,
  DEFAULT_ENVIRONMENTS,
  present,
  requireDistinct,
  typeOf,
} from '../../../src/core/environments/environment.ts'
import { DomainError } from '../../../src/core/errors.ts'

test.each([
  ['Development', 'dev'],
  ['DEVELOPMENT', 'dev'],
  ['development', 'dev'],
  ['Staging', 'staging'],
  ['sTAGING', 'staging'],
  ['Production', 'prod'],
  ['production', 'prod'],
  ['dev', 'custom'],
  ['prod', 'custom'],
  ['Development2', 'custom'],
  ['constructor', 'custom'],
  ['QA', 'custom'],
])('an environment named %s is %s', (name, type) => {
  expect<string>(typeOf(name)).toBe(type)
})

test('the default environments are one of each type but custom', () => {
  expect(DEFAULT_ENVIRONMENTS.map(typeOf)).toEqual(['dev', 'staging', 'prod'])
})

test('names that differ in case alone are the same environment', () => {
  const refusal = () => requireDistinct(['qa', 'Blue', 'QA'])
  expect(refusal).toThrow(DomainError)
  expect(refusal).toThrow('environments[2] repeats environments[0].')
  expect(() => requireDistinct(['qa', 'q-a', 'q_a', 'qa1'])).not.toThrow()
})

describe('the name of an environment', () => {
  test.each(['a', 'A-Z_09', 'x'.repeat(64)])('may be %j', (name) => {
    expect(Value.Check(CreateEnvironment, { name })).toBe(true)
  })

  test.each(['', ' ', 'a b', ' a', 'a\n', 'é', 'ﬁ', 'a.b', 'a/b', 'x'.repeat(65), null, 7])(
    'may not be %j',
    (name) => {
      expect(Value.Check(CreateEnvironment, { name })).toBe(false)
    },
  )
})

test.each([
  [new Date('2026-01-01T00:00:00.120Z')],
  ['2026-01-01T00:00:00.12+00:00'],
  ['2026-01-01T05:30:00.12+05:30'],
])('an instant stored as %p is shown in UTC with milliseconds', (at) => {
  const row = { id: 'e', name: 'QA', env_type: 'custom', index: 3, created_at: at, updated_at: at } as const
  expect(present(row)).toEqual({
    id: 'e',
    name: 'QA',
    envType: 'custom',
    index: 3,
    createdAt: '2026-01-01T00:00:00.120Z',
    updatedAt: '2026-01-01T00:00:00.120Z',
  })
})
