import { expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'
import { ErrorBody } from '../../../src/core/contract/errors.ts'
import { ListOf } from '../../../src/core/contract/lists.ts'
import { PrincipalReference, RoleReference } from '../../../src/core/contract/references.ts'

test('a list is its items, with a cursor where a page was requested', () => {
  const roles = ListOf(RoleReference)
  const data = [{ id: 'r', name: 'Developer' }]
  for (const list of [{ data }, { data, nextCursor: 'x' }, { data, nextCursor: null }]) {
    expect(Value.Check(roles, list)).toBe(true)
  }
  for (const other of [data, { data: ['Developer'] }, { data, nextCursor: 1 }, { nextCursor: null }]) {
    expect(Value.Check(roles, other)).toBe(false)
  }
})

test('principals are users or service accounts, and an error is one sentence', () => {
  const principal = { type: 'service_account', id: 's', name: 'Deploy' }
  expect(Value.Check(PrincipalReference(), principal)).toBe(true)
  expect(Value.Check(PrincipalReference(), { ...principal, type: 'member' })).toBe(false)
  expect(Value.Check(ErrorBody, { error: 'Role not found.' })).toBe(true)
  expect(Value.Check(ErrorBody, { error: ['Role not found.'] })).toBe(false)
})
