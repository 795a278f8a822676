import { expect, test } from 'bun:test'
import {
  after,
  isSessionExpired,
  isSessionTokenExpired,
  SESSION_IDLE_SECONDS,
  SESSION_SECONDS,
  SESSION_TOKEN_SECONDS,
} from '../../../src/core/sessions/lifetime.ts'

const start = new Date('2026-01-31T09:30:00.000Z')
/** What clocks of replicas may differ by. */
const SKEW_SECONDS = 300

// Seconds from sign-in to the last use, seconds from sign-in to now, and whether the session has expired.
test.each([
  [0, 0, false],
  [0, -SKEW_SECONDS, false],
  [0, -SKEW_SECONDS - 1, true],
  [0, SESSION_IDLE_SECONDS - 1, false],
  [0, SESSION_IDLE_SECONDS, true],
  [SESSION_SECONDS - 1, SESSION_SECONDS - 1, false],
  [SESSION_SECONDS - 1, SESSION_SECONDS, true],
])('a session last used after %d s has after %d s expired: %p', (lastUse, now, expected) => {
  const session = {
    created_at: start,
    expires_at: after(start, SESSION_SECONDS),
    last_used_at: after(start, lastUse),
  }
  expect(isSessionExpired(session, after(start, now))).toBe(expected)
})

// Seconds from the token's creation to now, and whether the token has expired.
test.each([
  [0, false],
  [SESSION_TOKEN_SECONDS - 1, false],
  [SESSION_TOKEN_SECONDS, true],
  [-SKEW_SECONDS, false],
  [-SKEW_SECONDS - 1, true],
])('a session token has after %d s expired: %p', (now, expected) => {
  const token = { expires_at: after(start, SESSION_TOKEN_SECONDS) }
  expect(isSessionTokenExpired(token, after(start, now))).toBe(expected)
})
