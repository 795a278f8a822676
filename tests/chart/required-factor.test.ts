import { expect, test } from 'bun:test'
import { existing, host, refusal, renderText } from './helm.ts'

const given = { host, ...existing }

// YAML reads a bare `off` as false.
test.each(['off', false, 'admins', 'everyone'])('requireSecondFactor: %p reaches the backend', (value) => {
  const text = renderText({ ...given, requireSecondFactor: value })
  expect(text).toContain(`REQUIRE_SECOND_FACTOR: "${value === false ? 'off' : value}"`)
})

test('any other value is refused', () => {
  for (const value of ['on', true, 'owner'])
    expect(refusal({ ...given, requireSecondFactor: value })).toContain('requireSecondFactor')
})
