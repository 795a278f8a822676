import { beforeEach, expect, test } from 'bun:test'
import type { Context } from '../../../src/context.ts'
import {
  checksOf,
  endOfFlow,
  FLOW_SECONDS,
  type Flow,
  isState,
  newState,
  sealFlow,
  unsealFlow,
} from '../../../src/core/sso/flow-state.ts'
import { fakeClock } from '../../../src/platform/clock.ts'
import { testConfig } from '../../support/context.ts'

let clock: ReturnType<typeof fakeClock>
let ctx: Context
let state: string
let flow: Flow
let cookie: string

beforeEach(() => {
  clock = fakeClock()
  ctx = { config: testConfig(), clock } as unknown as Context
  state = newState()
  const purpose = { kind: 'sign-in', invite: 'an invite', hasSetupToken: false } as const
  flow = { provider: 'one', returnTo: '/apps', purpose, expiresAt: endOfFlow(ctx) }
  cookie = sealFlow(ctx, state, flow)
})

const opened = (cookies: readonly string[], of = ctx) => unsealFlow(of, state, 'one', cookies)

test('the flow comes back from its cookie for ten minutes, also beside cookies that others have set', () => {
  expect(opened([cookie])).toEqual(flow)
  expect(opened(['junk', 'a.b', cookie])).toEqual(flow)
  clock.advance(FLOW_SECONDS - 1)
  expect(opened([cookie])).toEqual(flow)
  clock.advance(1)
  expect(opened([cookie])).toBeNull()
})

test('it is worth nothing with another state, at another provider, or under another SECRET_KEY', () => {
  expect(unsealFlow(ctx, newState(), 'one', [cookie])).toBeNull()
  expect(unsealFlow(ctx, state, 'two', [cookie])).toBeNull()
  const other = { ...ctx, config: testConfig({ SECRET_KEY: 'ab'.repeat(32) }) }
  expect(opened([cookie], other)).toBeNull()
})

test('no character of it can be changed, and nothing be added', () => {
  for (let at = 0; at < cookie.length; at++) {
    const changed = cookie.slice(0, at) + (cookie[at] === 'A' ? 'B' : 'A') + cookie.slice(at + 1)
    expect(opened([changed])).toBeNull()
  }
  expect(opened([`${cookie}.`])).toBeNull()
  expect(opened([`.${cookie}`])).toBeNull()
})

test('one from a time when the clock was far ahead is worth nothing once it is right', () => {
  clock.advance(3600)
  const early = sealFlow(ctx, state, { ...flow, expiresAt: endOfFlow(ctx) })
  expect(opened([early])).not.toBeNull()
  clock.advance(-3600)
  expect(opened([early])).toBeNull()
})

test.each(['', '.', 'e30.', '{}', 'x'.repeat(5000), 'é.é'])('%p is no flow', (text) => {
  expect(opened([text])).toBeNull()
})

test('each state has a nonce and a verifier of its own, which differ, and say nothing of each other', () => {
  const checks = [state, newState()].map((one) => checksOf(ctx, one, 'one'))
  const secrets = checks.flatMap(({ nonce, codeVerifier }) => [nonce, codeVerifier])
  expect(new Set(secrets).size).toBe(4)
  // RFC 7636: 43 to 128 unreserved characters.
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/)
  expect(checksOf(ctx, state, 'two').codeVerifier).not.toBe(checksOf(ctx, state, 'one').codeVerifier)
  expect(cookie).not.toContain(checksOf(ctx, state, 'one').codeVerifier)
})

test('states are random and have one form', () => {
  expect(isState(state)).toBe(true)
  expect(newState()).not.toBe(state)
  for (const text of ['', 'a', `${state}a`, `${state.slice(1)}=`, `${state.slice(1)};`]) {
    expect(isState(text)).toBe(false)
  }
})
