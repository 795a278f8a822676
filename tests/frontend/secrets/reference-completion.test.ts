import { expect, test } from 'bun:test'
import { insertReference, openReferenceAt } from '../../../src/frontend/app/secrets/reference-completion.ts'

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: references are written so
test.each([
  ['a ${DB', 6, { start: 4, end: 6, typed: 'DB' }],
  ['${', 2, { start: 2, end: 2, typed: '' }],
  ['${A}${B', 7, { start: 6, end: 7, typed: 'B' }],
  ['${A} b', 6, null],
  ['${{A', 4, null],
  ['plain', 5, null],
] as const)('in %j at %i, what is typed of a reference is %j', (value, caret, expected) => {
  expect(openReferenceAt(value, caret)).toEqual(expected)
})

test.each([
  ['a ${DB tail', 6, 'DB_USER', 'a ${DB_USER} tail', 12],
  ['${DB}', 4, 'DB_USER', '${DB_USER}', 10],
  ['${le', 4, 'Ledger::Staging.', '${Ledger::Staging.', 18],
] as const)('%j at %i becomes, with %s, %j', (value, caret, candidate, expected, place) => {
  const reference = openReferenceAt(value, caret)
  if (reference === null) throw new Error('no reference is open')
  expect(insertReference(value, reference, candidate)).toEqual({ value: expected, caret: place })
})
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above
