import { describe, expect, test } from 'bun:test'
import type { Permissions } from '../../../src/core/permissions.ts'
import { assignRole, createToken } from '../../../src/core/service-accounts/policy.ts'
import { answerOf, CUSTOM, HOLDERS, holder, KINDS, statusOf } from '../../support/role-holders.ts'

/**
 * By the caller's role and the service account's: Manager allows everything that Developer and Service do; each of
 * those two allows something that the other doesn't. All three allow what the custom role does, but for Developer,
 * which can't create apps.
 */
const ASSIGNABLE = {
  owner: { owner: 400, admin: 400, manager: 200, developer: 200, service: 200, custom: 200 },
  admin: { owner: 400, admin: 400, manager: 200, developer: 200, service: 200, custom: 200 },
  manager: { owner: 400, admin: 400, manager: 200, developer: 200, service: 200, custom: 200 },
  developer: { owner: 400, admin: 400, manager: 403, developer: 200, service: 403, custom: 403 },
  service: { owner: 400, admin: 400, manager: 403, developer: 403, service: 200, custom: 200 },
  custom: { owner: 400, admin: 400, manager: 403, developer: 403, service: 403, custom: 200 },
} as const

const roleOf = (kind: (typeof KINDS)[number]) => ({ kind, permissions: kind === 'custom' ? CUSTOM : null })

describe('letting a service account hold a role', () => {
  for (const actor of HOLDERS) {
    for (const kind of KINDS) {
      const status = ASSIGNABLE[actor.role.kind][kind]
      test(`${actor.id} assigning ${kind}: ${status}`, () => {
        expect(statusOf(assignRole, { actor, role: roleOf(kind) })).toBe(status)
      })
    }
  }

  const actor = holder('custom')
  const custom = (permissions: Permissions) => ({ kind: 'custom', permissions }) as const
  test.each<[string, Permissions, string | null]>([
    ['no permissions', { permissions: {}, appPermissions: {} }, null],
    ['fewer permissions', { permissions: { Apps: ['create'] }, appPermissions: {} }, null],
    ['the same permissions', CUSTOM, null],
    [
      'another action',
      { permissions: {}, appPermissions: { Secrets: ['read', 'update'] } },
      'update on app-level Secrets',
    ],
    ['another class', { permissions: { Roles: ['read'] }, appPermissions: {} }, 'read on Roles'],
    [
      'a class of the other level',
      { permissions: {}, appPermissions: { Members: ['read'] } },
      'read on app-level Members',
    ],
  ])(
    'a custom role with %s than the caller: the refusal names the first excess',
    (_, permissions, excess) => {
      expect(answerOf(assignRole, { actor, role: custom(permissions) })).toBe(
        excess && `403 Your own role does not allow ${excess}, so you can't hand it out.`,
      )
    },
  )
})

describe('creating a token of a service account', () => {
  for (const actor of HOLDERS) {
    for (const kind of ['manager', 'developer', 'service', 'custom'] as const) {
      for (const reachesMore of [false, true]) {
        const isGlobal = actor.role.kind === 'owner' || actor.role.kind === 'admin'
        const status = isGlobal || (ASSIGNABLE[actor.role.kind][kind] === 200 && !reachesMore) ? 200 : 403
        const more = reachesMore ? 'more' : 'no more'
        test(`${actor.id} for one with ${kind} that can access ${more} environments: ${status}`, () => {
          expect(statusOf(createToken, { actor, role: roleOf(kind), reachesMore })).toBe(status)
        })
      }
    }
  }
})
