import { describe, expect, test } from 'bun:test'
import type { Actor } from '../../../src/core/actor.ts'
import { DomainError } from '../../../src/core/errors.ts'
import { type DefaultRoleKind, type Permissions, permissionsOf } from '../../../src/core/permissions.ts'
import {
  requireAssignable,
  requireTokenWithinOwn,
} from '../../../src/core/service-accounts/service-account.ts'

const kinds = ['owner', 'admin', 'manager', 'developer', 'service'] as const

const caller = (
  kind: DefaultRoleKind | 'custom',
  type: Actor['type'],
  stored: Permissions | null = null,
): Actor => ({
  type,
  id: 'me',
  userId: null,
  name: 'Ada',
  email: null,
  organisation: { id: 'o' },
  role: { id: 'r', kind, name: kind, permissions: permissionsOf(kind, stored) },
  credential: { kind: 'token', id: 't', text: '' },
  source: { ipAddress: null, userAgent: null, requestId: 'x' },
})

function statusOf(check: () => void): number {
  try {
    check()
    return 200
  } catch (error) {
    if (error instanceof DomainError) return error.status
    throw error
  }
}

/** Manager allows all that Developer and Service do; each of those two allows something that the other doesn't. */
const assignable: Record<DefaultRoleKind, Record<DefaultRoleKind, number>> = {
  owner: { owner: 400, admin: 400, manager: 200, developer: 200, service: 200 },
  admin: { owner: 400, admin: 400, manager: 200, developer: 200, service: 200 },
  manager: { owner: 400, admin: 400, manager: 200, developer: 200, service: 200 },
  developer: { owner: 400, admin: 400, manager: 403, developer: 200, service: 403 },
  service: { owner: 400, admin: 400, manager: 403, developer: 403, service: 200 },
}

const table = kinds.flatMap((by) => kinds.map((role) => [by, role, assignable[by][role]] as const))

describe('letting a service account hold a role', () => {
  test.each(table)('by a caller with the role %s: %s is %d', (by, role, status) => {
    // A service account never has global access; a user may.
    const types =
      by === 'owner' || by === 'admin' ? (['user'] as const) : (['user', 'service_account'] as const)
    for (const type of types) {
      expect(statusOf(() => requireAssignable(caller(by, type), { kind: role, permissions: null }))).toBe(
        status,
      )
    }
  })

  test('a custom role is judged by its actions, and the sentence names the first excess', () => {
    const own = { permissions: { Apps: ['read', 'create'] }, appPermissions: { Secrets: ['read'] } } as const
    const me = caller('custom', 'user', own)
    const role = (permissions: Permissions) => ({ kind: 'custom', permissions }) as const
    requireAssignable(me, role({ permissions: { Apps: ['create'] }, appPermissions: {} }))
    requireAssignable(me, role(own))
    expect(() =>
      requireAssignable(me, role({ permissions: {}, appPermissions: { Secrets: ['read', 'update'] } })),
    ).toThrow('Your own role does not allow update on app-level Secrets')
  })
})

describe('creating a token of a service account', () => {
  const cases = kinds.flatMap((by) =>
    (['manager', 'developer', 'service'] as const).flatMap((held) =>
      [false, true].map((beyond) => {
        const global = by === 'owner' || by === 'admin'
        const status = global || (assignable[by][held] === 200 && !beyond) ? 200 : 403
        return [by, held, beyond, status] as const
      }),
    ),
  )
  test.each(cases)(
    'by a caller with the role %s for one with %s, reaching beyond: %p, is %d',
    (by, held, beyond, status) => {
      const check = () => requireTokenWithinOwn(caller(by, 'user'), { kind: held, permissions: null }, beyond)
      expect(statusOf(check)).toBe(status)
    },
  )
})
