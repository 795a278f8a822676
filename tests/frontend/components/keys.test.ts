import { expect, test } from 'bun:test'
import { keyName } from '../../../src/frontend/app/components/keys.ts'

test('keys are called as on the system of the reader', () => {
  expect(keyName('⌘K', 'MacIntel')).toBe('⌘K')
  expect(keyName('⌘K', 'Linux x86_64')).toBe('Ctrl K')
  expect(keyName('⌘↵', 'Win32')).toBe('Ctrl ↵')
  expect(keyName('N', 'Win32')).toBe('N')
})
