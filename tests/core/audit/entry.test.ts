import { expect, test } from 'bun:test'
import { type EntryRow, present } from '../../../src/core/audit/entry.ts'

const row: EntryRow = {
  id: 'entry',
  event_type: 'role.updated',
  resource_type: 'role',
  resource_id: 'role',
  actor_type: 'user',
  actor_id: 'ada',
  actor_metadata: { name: 'Ada' },
  resource_metadata: {},
  old_values: null,
  new_values: { name: 'x' },
  description: 'Role changed.',
  ip_address: '192.0.2.1',
  user_agent: 'curl/8',
  request_id: 'request',
  timestamp: new Date('2026-01-01T00:00:00Z'),
  count: 1,
}

test.each([
  { ids: ['ada', null], everything: false, shown: true },
  { ids: ['membership', 'ada'], everything: false, shown: true },
  { ids: ['grace', 'user'], everything: false, shown: false },
  { ids: ['robot', null], everything: false, shown: false },
  { ids: ['grace', 'user'], everything: true, shown: true },
])('who called from where: to %j', ({ ids, everything, shown }) => {
  expect(present(row, { ids, everything })).toMatchObject({
    ipAddress: shown ? '192.0.2.1' : null,
    userAgent: shown ? 'curl/8' : null,
    requestId: 'request',
    actorMetadata: { name: 'Ada' },
  })
})
