import { expect, test } from 'bun:test'
import { sentenceAtField } from '../../../src/frontend/app/components/fields.ts'

test('a sentence of the API stands at its field in words', () => {
  expect(sentenceAtField('full_name is required.', 'full_name', '')).toBe('Full name is required.')
  expect(
    sentenceAtField('environments[1] repeats environments[0].', 'environments', 'Staging, staging'),
  ).toBe('“staging” repeats “Staging”.')
})
