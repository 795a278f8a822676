import { beforeEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Context } from '../../../src/context.ts'
import {
  DEVICE_SECONDS,
  type DeviceAccount,
  deviceCookie,
  knownDevice,
  memberDevice,
} from '../../../src/core/sign-in/devices.ts'
import { fakeClock } from '../../../src/platform/clock.ts'
import { pathOf } from '../../../src/platform/turn-queues.ts'
import { testConfig } from '../../support/context.ts'

let clock: ReturnType<typeof fakeClock>
let ctx: Context
let ada: DeviceAccount

beforeEach(() => {
  clock = fakeClock()
  ctx = { config: testConfig(), clock } as unknown as Context
  ada = account()
})

const account = (): DeviceAccount => ({
  user_id: randomUUID(),
  password_hash: randomUUID(),
  member_id: randomUUID(),
})
const entries = (cookie: string) => cookie.split('~')

test('an account knows the browser that it gave a cookie to, for a year', () => {
  const cookie = deviceCookie(ctx, ada, [])
  const id = knownDevice(ctx, ada, [cookie])
  expect(id).toMatch(/^[\w-]{22}$/)
  clock.advance(DEVICE_SECONDS - 1)
  expect(knownDevice(ctx, ada, [cookie])).toBe(id)
  clock.advance(1)
  expect(knownDevice(ctx, ada, [cookie])).toBeNull()
})

test('every cookie is another device', () => {
  const [one, other] = [deviceCookie(ctx, ada, []), deviceCookie(ctx, ada, [])]
  expect(knownDevice(ctx, ada, [one])).not.toBe(knownDevice(ctx, ada, [other]))
})

test('a cookie is worth nothing for another account, another password, no account, or under another SECRET_KEY', () => {
  const cookie = deviceCookie(ctx, ada, [])
  const grace = account()
  expect(knownDevice(ctx, grace, [cookie])).toBeNull()
  expect(knownDevice(ctx, { ...ada, password_hash: grace.password_hash }, [cookie])).toBeNull()
  expect(knownDevice(ctx, { ...ada, password_hash: null }, [cookie])).toBeNull()
  expect(knownDevice(ctx, undefined, [cookie])).toBeNull()
  const other = { ...ctx, config: testConfig({ SECRET_KEY: 'ab'.repeat(32) }) }
  expect(knownDevice(other, ada, [cookie])).toBeNull()
})

test('no character of a cookie can be changed', () => {
  const cookie = deviceCookie(ctx, ada, [])
  for (let at = 0; at < cookie.length; at++) {
    const changed = cookie.slice(0, at) + (cookie[at] === '1' ? '2' : '1') + cookie.slice(at + 1)
    expect(knownDevice(ctx, ada, [changed])).toBeNull()
  }
})

test('a cookie from a time when the clock was far ahead is worth nothing once it is right', () => {
  clock.advance(3600)
  const cookie = deviceCookie(ctx, ada, [])
  clock.advance(-60)
  expect(knownDevice(ctx, ada, [cookie])).not.toBeNull()
  clock.advance(-3540)
  expect(knownDevice(ctx, ada, [cookie])).toBeNull()
})

test.each([
  '',
  '~',
  '~~~~~~~~',
  'junk',
  'a.b.c',
  `${'a'.repeat(22)}.1798761600.${'b'.repeat(43)}`,
  `${'a'.repeat(22)}.9999999999.${'b'.repeat(43)}`,
  `${'a'.repeat(22)}.-798761600.${'b'.repeat(43)}`,
  `${'é'.repeat(22)}.1798761600.${'b'.repeat(43)}`,
  `${'a'.repeat(22)}.1798761600.${'é'.repeat(43)}`,
  'x'.repeat(1000),
  '~'.repeat(1000),
])('%p is no device, and stands in the way of none', (garbage) => {
  const cookie = deviceCookie(ctx, ada, [])
  expect(knownDevice(ctx, ada, [garbage])).toBeNull()
  expect(knownDevice(ctx, ada, [garbage, cookie])).not.toBeNull()
})

test('of a flood of entries only fifty are looked at', () => {
  const cookie = deviceCookie(ctx, ada, [])
  const junk = Array.from({ length: 49 }, () => deviceCookie(ctx, account(), []))
  expect(knownDevice(ctx, ada, [...junk, cookie])).not.toBeNull()
  expect(knownDevice(ctx, ada, [...junk, junk[0] ?? '', cookie])).toBeNull()
})

test('one browser is known to four accounts, the last ones', () => {
  const people = [ada, ...Array.from({ length: 4 }, account)]
  const cookie = people.reduce((before, person) => deviceCookie(ctx, person, [before]), '')
  expect(entries(cookie)).toHaveLength(4)
  expect(people.map((person) => knownDevice(ctx, person, [cookie]) !== null)).toEqual([
    false,
    true,
    true,
    true,
    true,
  ])
})

test('another sign-in replaces what the account knew the browser by, and keeps the others’', () => {
  const grace = account()
  const first = deviceCookie(ctx, ada, [deviceCookie(ctx, grace, [])])
  const second = deviceCookie(ctx, ada, [first])
  expect(entries(second)).toHaveLength(2)
  expect(knownDevice(ctx, ada, [second])).not.toBe(knownDevice(ctx, ada, [first]))
  expect(knownDevice(ctx, grace, [second])).toBe(knownDevice(ctx, grace, [first]))
})

test('a change of the password replaces the entry under the password before', () => {
  const before = deviceCookie(ctx, ada, [])
  const changed = { ...ada, password_hash: 'another' }
  const after = deviceCookie(ctx, changed, [before], ada)
  expect(entries(after)).toHaveLength(1)
  expect(knownDevice(ctx, changed, [after])).not.toBeNull()
  expect(knownDevice(ctx, changed, [before])).toBeNull()
})

test('what is not well-formed or has expired is not given back', () => {
  const old = deviceCookie(ctx, account(), [])
  clock.advance(DEVICE_SECONDS)
  expect(entries(deviceCookie(ctx, ada, [old, 'junk', '"; Domain=evil.example']))).toHaveLength(1)
})

test('a member’s cookie tells so by itself, whatever the account and its password are by now', () => {
  const stranger = { ...account(), member_id: null }
  const [ofMember, ofStranger] = [deviceCookie(ctx, ada, []), deviceCookie(ctx, stranger, [])]
  const device = memberDevice(ctx, [ofMember])
  const id = knownDevice(ctx, ada, [ofMember])
  expect(device).toMatchObject({ branchId: id, id })
  expect(memberDevice(ctx, [ofStranger])).toBeNull()
  expect(memberDevice(ctx, ['junk', ofStranger, ofMember])).toEqual(device)
  expect(memberDevice(ctx, [deviceCookie(ctx, stranger, [ofMember])])).toEqual(device)
  expect(memberDevice(ctx, [])).toBeNull()
})

test('nobody makes a member’s cookie of another one, or has it last longer', () => {
  const cookie = deviceCookie(ctx, ada, [])
  const [id = '', expires = '', mac] = cookie.split('.')
  for (let at = 0; at < id.length; at++) {
    const changed = id.slice(0, at) + (id[at] === 'A' ? 'g' : 'A') + id.slice(at + 1)
    expect(memberDevice(ctx, [[changed, expires, mac].join('.')])).toBeNull()
  }
  clock.advance(1)
  expect(memberDevice(ctx, [[id, Number(expires) + 1, mac].join('.')])).toBeNull()
  clock.advance(DEVICE_SECONDS)
  expect(memberDevice(ctx, [cookie])).toBeNull()
  const other = { ...ctx, config: testConfig({ SECRET_KEY: 'ab'.repeat(32) }) }
  expect(memberDevice(other, [deviceCookie(ctx, ada, [])])).toBeNull()
})

test('all devices of a member have one share, and those of another one another', () => {
  const shareOf = (person: DeviceAccount) =>
    pathOf(memberDevice(ctx, [deviceCookie(ctx, person, [])]) ?? '')[0]
  expect(shareOf(ada)).toBe(shareOf({ ...ada, password_hash: randomUUID() }))
  expect(shareOf(ada)).not.toBe(shareOf(account()))
})
