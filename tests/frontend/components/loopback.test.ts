import { expect, test } from 'bun:test'
import { isLoopback } from '../../../src/frontend/app/components/loopback.tsx'

test('an address that every machine has for itself alone is told from others', () => {
  for (const name of ['localhost', 'keys.localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
    expect(isLoopback(name)).toBe(true)
  for (const name of ['keys.example.org', 'localhost.example.org', '10.0.0.1', '127.0.0.1.nip.io'])
    expect(isLoopback(name)).toBe(false)
})
