import { expect, test } from 'bun:test'
import { type ChunkedRequests, createChunkedRequests } from '../../../src/platform/http/chunked-requests.ts'
import type { Sharer } from '../../../src/platform/turn-queues.ts'
import { stoppedClock } from '../../support/event-loop.ts'

const visitor = (site: string) => ({ responsibleId: 'visitors', branchId: site, id: site })

/** How many more of a sender may begin. */
function roomOf(requests: ChunkedRequests, sender: Sharer): number {
  const begun = []
  for (let next = requests.begin(sender); next !== null; next = requests.begin(sender)) begun.push(next)
  for (const { leave } of begun) leave()
  return begun.length
}

test('16 requests of a sender are under way, as many from a site, and 32 of all visitors', () => {
  const requests = createChunkedRequests()
  const first = requests.begin('ada')
  expect(roomOf(requests, 'ada')).toBe(15)
  expect(roomOf(requests, 'grace')).toBe(16)
  first?.leave()
  expect(roomOf(requests, 'ada')).toBe(16)

  for (const site of ['192.0.2.1', '198.51.100.1']) {
    expect(roomOf(requests, visitor(site))).toBe(16)
    for (let begun = 0; begun < 16; begun++) requests.begin(visitor(site))
  }
  expect(roomOf(requests, visitor('203.0.113.1'))).toBe(0)
  expect(roomOf(requests, 'ada')).toBe(16)
})

test('the more time the chunks of a sender have taken of late, the fewer of its requests are under way', () => {
  using clock = stoppedClock()
  const requests = createChunkedRequests()
  requests.begin('ada')?.spend(100)
  expect(roomOf(requests, 'ada')).toBe(7)
  requests.begin('grace')?.spend(400)
  expect(roomOf(requests, 'grace')).toBe(0)
  clock.advance(1000)
  expect(roomOf(requests, 'grace')).toBe(0)
  clock.advance(1000)
  expect(roomOf(requests, 'grace')).toBe(7)
})

test('visitors of one site that have used up their time leave half of the room to visitors of other sites', () => {
  using _clock = stoppedClock()
  const requests = createChunkedRequests()
  const [busy, other] = [visitor('192.0.2.1'), visitor('198.51.100.1')]
  const begun = requests.begin(busy)
  begun?.spend(200)
  begun?.leave()
  expect(roomOf(requests, busy)).toBe(0)
  expect(roomOf(requests, other)).toBe(16)
})
