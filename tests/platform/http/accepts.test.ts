import { expect, test } from 'bun:test'
import { accepts } from '../../../src/platform/http/accepts.ts'

test.each([
  ['text/html', true],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
  ['application/json, Text/HTML ;q=0.1', true],
  ['text/html;q=0', false],
  ['text/html; q=0.000, */*', false],
  ['text/htmlx', false],
  ['x-text/html', false],
  ['*/*', false],
  ['', false],
  [null, false],
])('%p names text/html: %p', (header, named) => {
  expect(accepts(header, 'text/html')).toBe(named)
})
