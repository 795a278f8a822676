import { describe, expect, test } from 'bun:test'
import { renderToStaticMarkup } from 'react-dom/server'
import type { Entry } from '../../../src/core/audit/entry.ts'
import { EVENTS } from '../../../src/core/audit/events.ts'
import { REFUSALS } from '../../../src/core/audit/refusals.ts'
import { changesIn } from '../../../src/frontend/app/audit/changes.ts'
import { type NameOf, plainText } from '../../../src/frontend/app/audit/facts.ts'
import { Sentence } from '../../../src/frontend/app/audit/sentence.tsx'
import { actorOf, isRefused, SENTENCES, sentenceOf } from '../../../src/frontend/app/audit/sentences.ts'

const entry = (fields: Partial<Entry>): Entry => ({
  id: 'e1',
  eventType: 'role.created',
  resourceType: 'role',
  resourceId: 'thing',
  actorType: 'user',
  actorId: 'ana',
  actorMetadata: { name: 'Ana Duarte', role: 'Manager' },
  resourceMetadata: {},
  oldValues: null,
  newValues: null,
  description: 'Something happened.',
  ipAddress: null,
  userAgent: null,
  requestId: null,
  timestamp: '2026-11-21T09:38:04.218Z',
  count: 1,
  ...fields,
})

const ENVIRONMENTS: Record<string, { name: string; app: string }> = {
  s1: { name: 'Staging', app: 'Ledger' },
  p1: { name: 'Production', app: 'Ledger' },
  s2: { name: 'Staging', app: 'Storefront' },
}
const nameOf: NameOf = (kind, id) =>
  kind === 'environment'
    ? (ENVIRONMENTS[id] ?? null)
    : kind === 'app' && id === 'ledger'
      ? { name: 'Ledger' }
      : kind === 'member' && id === 'noor'
        ? { name: 'Noor Haddad' }
        : null
const nobody: NameOf = () => null
const say = (fields: Partial<Entry>, names = nameOf) => plainText(sentenceOf(entry(fields), names))

describe('every event', () => {
  const events = [...Object.keys(EVENTS), ...REFUSALS]

  test('has a sentence of its own', () => {
    expect(Object.keys(SENTENCES).sort()).toEqual(events.toSorted())
  })

  for (const eventType of events) {
    test(`${eventType} says something where nothing is known of it, and nothing empty or undefined`, () => {
      const resourceType = eventType.slice(0, eventType.indexOf('.'))
      const sentence = say({ eventType, resourceType, resourceId: null }, nobody)
      expect(sentence).toMatch(/^[a-z].*[\p{L}\p{N})]$/u)
      expect(sentence).not.toMatch(/undefined|null|\[object| {2}|did this/)
    })
  }

  test('that this console does not know is told by its description', () => {
    expect(say({ eventType: 'moon.landed', description: 'The moon was reached.' })).toBe(
      'did this: The moon was reached.',
    )
  })
})

describe('who, what and where', () => {
  const access = (granted: string[], revoked: string[]) => ({
    eventType: 'member.access_changed',
    resourceType: 'member',
    resourceMetadata: { name: 'Ana Duarte' },
    newValues: { granted, total: granted.length },
    oldValues: { revoked, total: revoked.length },
  })

  test('access that was opened, closed, or both', () => {
    expect(say(access(['s1'], []))).toBe('opened Staging of Ledger to Ana Duarte')
    expect(say(access(['s1', 'p1', 's2'], []))).toBe(
      'opened Staging and Production of Ledger and Staging of Storefront to Ana Duarte',
    )
    expect(say(access([], ['p1']))).toBe('closed Production of Ledger to Ana Duarte')
    expect(say(access(['s1'], ['p1']))).toBe(
      'opened Staging of Ledger to Ana Duarte, and closed Production of Ledger',
    )
    expect(say(access(['s1', 'unknown'], []))).toBe('opened 2 environments to Ana Duarte')
  })

  test('a role that was given, with the names of that time', () => {
    const change = {
      eventType: 'member.role_changed',
      resourceType: 'member',
      resourceMetadata: { name: 'Noor Haddad' },
      oldValues: { role: { id: 'r1', name: 'Developer' } },
      newValues: { role: { id: 'r2', name: 'Manager' } },
    }
    expect(say(change)).toBe('changed Noor Haddad from Developer to Manager')
  })

  test('who or what was removed, with the number of tokens that went with it', () => {
    const removed = {
      eventType: 'member.removed',
      resourceType: 'member',
      resourceMetadata: { name: 'Noor Haddad' },
    }
    const role = { id: 'r1', name: 'Developer' }
    expect(say({ ...removed, oldValues: { role, tokens: 2 } })).toBe('removed Noor Haddad, with 2 tokens')
    expect(say({ ...removed, oldValues: { role, tokens: 0 } })).toBe('removed Noor Haddad')
    expect(say({ ...removed, oldValues: { role } })).toBe('removed Noor Haddad')
    const deleted = {
      eventType: 'service_account.deleted',
      resourceType: 'service_account',
      resourceMetadata: { name: 'Deploy' },
      oldValues: { name: 'Deploy', role, tokens: 1 },
    }
    expect(say(deleted)).toBe('deleted the service account Deploy, with 1 token')
  })

  test('secrets, by their number and place', () => {
    const read = { eventType: 'secret.read', resourceType: 'environment', resourceId: 'p1' }
    expect(
      say({ ...read, resourceMetadata: { name: 'Production' }, newValues: { total: 41, secrets: [] } }),
    ).toBe('read 41 secrets in Production of Ledger')
    expect(say({ ...read, newValues: { total: null, secrets: [] } }, nobody)).toBe(
      'read secrets, many times, in an environment',
    )
  })

  test('a token of somebody else, and until when', () => {
    const created = {
      eventType: 'token.created',
      resourceType: 'token',
      resourceMetadata: { name: 'terraform', ownerId: 'noor', expiresAt: null },
      newValues: { name: 'terraform', expiresAt: null },
    }
    expect(say(created)).toBe('created the token terraform for Noor Haddad, without an end')
    expect(say({ ...created, actorId: 'noor' })).toBe('created the token terraform, without an end')
  })

  test('refusals say what was tried, and where', () => {
    const refused = { eventType: 'secret.read_refused', resourceType: 'app', resourceId: 'ledger' }
    expect(say(refused)).toBe('tried to read secrets in Ledger')
    expect(isRefused(entry(refused))).toBe(true)
    expect(say({ eventType: 'member.update_refused', resourceType: 'member', resourceId: 'noor' })).toBe(
      'tried to change the role of Noor Haddad',
    )
    expect(isRefused(entry({ eventType: 'role.created' }))).toBe(false)
  })

  test('an operator, and somebody whom nobody knows', () => {
    expect(actorOf(entry({ actorType: 'operator', actorMetadata: { name: 'Operator' } }))).toBe('An operator')
    expect(actorOf(entry({ actorMetadata: { name: '' } }))).toBe('Somebody unknown')
  })
})

describe('what people typed', () => {
  const typed = '<img src=x onerror=alert(1)>'

  for (const [eventType, { resource }] of Object.entries(EVENTS)) {
    test(`in ${eventType} is text, and no markup`, () => {
      const values = { name: typed, role: { id: 'r', name: typed }, provider: typed, total: 1, secrets: [] }
      const pieces = sentenceOf(
        entry({
          eventType,
          resourceType: resource,
          resourceMetadata: { name: typed },
          oldValues: values,
          newValues: values,
          description: typed,
        }),
        () => ({ name: typed, app: typed }),
      )
      expect(renderToStaticMarkup(<Sentence pieces={pieces} />)).not.toContain('<img')
    })
  }
})

describe('before and after', () => {
  test('only what is different, permissions class by class', () => {
    const permissions = (roles: string[]) => ({
      permissions: { Roles: roles, Apps: ['read'] },
      appPermissions: {},
    })
    const changed = entry({
      eventType: 'role.updated',
      oldValues: { name: 'Releases', color: '', description: null, permissions: permissions([]) },
      newValues: {
        name: 'Releases',
        color: '#aa0000',
        description: null,
        permissions: permissions(['read']),
      },
    })
    expect(changesIn(changed, nameOf).changes).toEqual([
      { what: 'Colour', before: null, after: '#aa0000' },
      { what: 'Roles', before: null, after: 'read' },
    ])
  })

  test('environments, up to a number of lines, and how many more there are', () => {
    const granted = ['s1', ...Array.from({ length: 999 }, (_, place) => `id-${place}`)]
    const changed = entry({
      eventType: 'member.access_changed',
      oldValues: { revoked: ['p1'], total: 1 },
      newValues: { granted, total: 2500 },
    })
    const { changes, more } = changesIn(changed, nameOf, 3)
    expect(changes[0]).toEqual({ what: 'Ledger, Staging', before: 'closed', after: 'open' })
    expect([changes.length, more]).toEqual([3, 2498])
  })
})
