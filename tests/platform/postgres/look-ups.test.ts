import { expect, test } from 'bun:test'
import { visitorFrom } from '../../../src/core/networks.ts'
import type { Database } from '../../../src/platform/postgres/database.ts'
import { createLookUps } from '../../../src/platform/postgres/look-ups.ts'

const database = { deadlines: { statementMilliseconds: 5000 } } as Database
const hash = Buffer.from('hash')

test('of an accepted credential nothing is remembered but whose it was the last time', () => {
  const lookUps = createLookUps(database)
  expect(lookUps.acceptedFor(hash)).toBeNull()
  lookUps.accept(hash, 'nobody')
  const ids = { responsibleId: 'ada', branchId: 'ada', id: 'robot' }
  const caller = { ...ids, email: 'ada@example.org', credential: { kind: 'token', text: 'the token itself' } }
  lookUps.accept(hash, caller)
  expect(lookUps.acceptedFor(hash)).toEqual(ids)
  expect(JSON.stringify(lookUps.acceptedFor(hash))).not.toContain('the token itself')
})

test('the oldest is forgotten beyond 10,000', () => {
  const lookUps = createLookUps(database)
  const named = (n: number) => Buffer.from(String(n))
  for (let n = 0; n < 10_001; n++) lookUps.accept(named(n), 'ada')
  expect([lookUps.acceptedFor(named(0)), lookUps.acceptedFor(named(1))]).toEqual([
    null,
    { responsibleId: 'ada', branchId: 'ada', id: 'ada' },
  ])
})

test('a credential that was accepted is looked up before unknown ones that came first, from however many sites', async () => {
  const lookUps = createLookUps(database)
  lookUps.accept(hash, 'ada')
  const order: string[] = []
  const find = (name: string, of: Buffer, ip: string) =>
    lookUps.find(of, visitorFrom(ip), async () => {
      order.push(name)
      await Bun.sleep(1)
      return []
    })
  const unknown = Array.from({ length: 200 }, (_, n) =>
    find('unknown', Buffer.from(String(n)), `192.0.2.${n}`),
  )
  await Promise.all([...unknown, find('accepted', hash, '198.51.100.1')])
  expect(order.indexOf('accepted')).toBeLessThan(70)
})

test('the credentials of one caller have one share, and one that is forgotten is unknown', async () => {
  const lookUps = createLookUps(database)
  const named = (name: string) => Buffer.from(name)
  const order: string[] = []
  const find = (name: string, of: Buffer) =>
    lookUps.find(of, visitorFrom(null), async () => {
      order.push(name)
      await Bun.sleep(1)
      return []
    })
  for (let n = 0; n < 200; n++) lookUps.accept(named(`ada ${n}`), 'ada')
  lookUps.accept(named('bob'), 'bob')
  await Promise.all([
    ...Array.from({ length: 200 }, (_, n) => find('ada', named(`ada ${n}`))),
    find('bob', named('bob')),
  ])
  expect(order.indexOf('bob')).toBeLessThan(70)
  lookUps.forget(named('bob'))
  expect(lookUps.acceptedFor(named('bob'))).toBeNull()
})
