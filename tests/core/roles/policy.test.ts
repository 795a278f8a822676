import { describe, expect, test } from 'bun:test'
import type { RoleHolder } from '../../../src/core/access.ts'
import { DEFAULT_ROLES, type Permissions } from '../../../src/core/permissions.ts'
import {
  addedPermissions,
  changePermissions,
  create,
  remove,
  removeHeld,
  update,
} from '../../../src/core/roles/policy.ts'
import { answerOf, CUSTOM, HOLDERS, holder, KINDS, statusOf } from '../../support/role-holders.ts'

const NONE: Permissions = { permissions: {}, appPermissions: {} }
const isGlobal = (actor: RoleHolder) => ['owner', 'admin'].includes(actor.role.kind)

/** Permissions for which a role could be created or changed, and the callers without global access who hold all of them. */
const SETS: readonly (readonly [string, Permissions, readonly string[]])[] = [
  ['nothing', NONE, ['manager', 'developer', 'service', 'custom']],
  ['what the custom role allows', CUSTOM, ['manager', 'service', 'custom']],
  ...DEFAULT_ROLES.map(({ name, kind, permissions }) => {
    const holders = ['developer', 'service'].includes(kind) ? ['manager', kind] : [kind]
    return [`what ${name} allows`, permissions, holders] as const
  }),
  [
    'reading roles',
    { permissions: { Roles: ['read'] }, appPermissions: {} },
    ['manager', 'developer', 'service'],
  ],
  [
    'an app-level class under the name of an organisation-level one',
    { permissions: {}, appPermissions: { ServiceAccounts: ['create'] } },
    ['manager', 'developer'],
  ],
  ['deleting environments', { permissions: {}, appPermissions: { Environments: ['delete'] } }, []],
]

describe('creating a role', () => {
  for (const actor of HOLDERS) {
    for (const [what, permissions, holders] of SETS) {
      const status = isGlobal(actor) || holders.includes(actor.role.kind) ? 200 : 403
      test(`${actor.id} creating one that allows ${what}: ${status}`, () => {
        expect(statusOf(create, { actor, permissions })).toBe(status)
      })
    }
  }
})

describe('changing a role', () => {
  for (const actor of HOLDERS) {
    for (const kind of KINDS) {
      for (const isOwn of actor.role.kind === kind ? [true, false] : [false]) {
        const refusal = () => {
          if (kind !== 'custom') return '403 Default roles cannot be modified.'
          return isOwn ? '403 You cannot change the role that you hold yourself.' : null
        }
        test(`${actor.id} changing ${isOwn ? 'its own' : 'another'} ${kind} role: ${refusal()}`, () => {
          const id = isOwn ? actor.role.id : 'another role'
          expect(answerOf(update, { actor, role: { id, kind } })).toBe(refusal())
        })
      }
    }
  }
})

describe("changing a role's permissions", () => {
  for (const actor of HOLDERS) {
    for (const [what, after, holders] of SETS) {
      const holdsAll = isGlobal(actor) || holders.includes(actor.role.kind)
      test(`${actor.id} to ${what}, from nothing: ${holdsAll ? 'allowed' : 'refused'}`, () => {
        expect(statusOf(changePermissions, { actor, before: NONE, after })).toBe(holdsAll ? 200 : 403)
      })
      test(`${actor.id} keeping ${what}, or taking it away: allowed`, () => {
        expect(statusOf(changePermissions, { actor, before: after, after })).toBe(200)
        expect(statusOf(changePermissions, { actor, before: after, after: NONE })).toBe(200)
      })
    }
  }

  test('the refusal names the first action that is added and that the caller lacks', () => {
    const before: Permissions = { permissions: { Roles: ['delete'] }, appPermissions: {} }
    const after: Permissions = { permissions: { Roles: ['delete', 'update'] }, appPermissions: {} }
    expect(answerOf(changePermissions, { actor: holder('custom'), before, after })).toBe(
      "403 Your own role does not allow update on Roles, so you can't hand it out.",
    )
  })
})

test.each([
  ...DEFAULT_ROLES.map(({ kind }) => [kind, '403 Default roles cannot be deleted.'] as const),
  ['custom', null] as const,
])('deleting a role of kind %s: %p', (kind, expected) => {
  expect(answerOf(remove, { role: { id: 'r', kind } })).toBe(expected)
})

test.each([
  [0, 0, 0, null],
  [1, 0, 0, '1 member'],
  [2, 0, 0, '2 members'],
  [0, 1, 0, '1 service account'],
  [0, 2, 0, '2 service accounts'],
  [0, 0, 1, '1 pending invite'],
  [0, 0, 2, '2 pending invites'],
  [1, 2, 0, '1 member and 2 service accounts'],
  [1, 0, 1, '1 member and 1 pending invite'],
  [0, 1, 3, '1 service account and 3 pending invites'],
  [3, 2, 1, '3 members and 2 service accounts and 1 pending invite'],
])('deleting a role held by %d members, %d service accounts and %d invites: held by %p', (...row) => {
  const [members, serviceAccounts, invites, held] = row
  expect(answerOf(removeHeld, { members, serviceAccounts, invites })).toBe(
    held && `409 The role is still held by ${held}; reassign or cancel them first.`,
  )
})

describe('what new permissions add to the old ones', () => {
  const reading: Permissions = { permissions: { Apps: ['read'] }, appPermissions: { Logs: ['read'] } }

  test('is nothing where they are the same, or less', () => {
    const nothing = { permissions: { Apps: [] }, appPermissions: { Logs: [] } }
    expect(addedPermissions(reading, reading)).toEqual(nothing)
    expect(addedPermissions(reading, NONE)).toEqual(NONE)
  })

  test('is the actions that were not there, each at its own level', () => {
    const more: Permissions = {
      permissions: { Apps: ['read', 'delete'], Logs: ['read'] },
      appPermissions: { Logs: ['read'], Secrets: ['read'] },
    }
    expect(addedPermissions(reading, more)).toEqual({
      permissions: { Apps: ['delete'], Logs: ['read'] },
      appPermissions: { Logs: [], Secrets: ['read'] },
    })
  })

  test('includes a class that is named like a property of every object', () => {
    const odd = { permissions: { constructor: ['read'] }, appPermissions: {} } as unknown as Permissions
    expect(addedPermissions(reading, odd).permissions).toEqual({ constructor: ['read'] } as never)
  })
})
