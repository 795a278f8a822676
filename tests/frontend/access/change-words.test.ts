import { expect, test } from 'bun:test'
import { appliedSentence } from '../../../src/frontend/app/access/change-words.tsx'

test('an applied change of access says who can open what, and what no longer', () => {
  const opens = [{ app: 'Billing', environments: ['Staging'] }]
  const closes = [{ app: 'Billing', environments: ['Production'] }]
  expect(appliedSentence('Ana', { opens, closes: [] })).toBe('Applied. Ana can open Staging of Billing.')
  expect(appliedSentence('Ana', { opens: [], closes })).toBe(
    'Applied. Ana can no longer open Production of Billing.',
  )
  expect(appliedSentence('Ana', { opens, closes })).toBe(
    'Applied. Ana can open Staging of Billing, and no longer Production of Billing.',
  )
})
