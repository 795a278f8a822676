import { expect, test } from 'bun:test'
import { isFound } from '../../../src/frontend/app/shell/found.ts'

test('a place is found by parts of its name and beginnings of the words beside it', () => {
  const place = { label: 'Ways to sign in', words: '2fa second factor' }
  for (const text of ['', 'sign', 'IGN IN', '2fa', 'second factor', 'factor sec'])
    expect(isFound(place, text)).toBe(true)
  for (const text of ['ond', 'second sign x', 'tokens']) expect(isFound(place, text)).toBe(false)
})
