import type { RoleHolder } from '../../src/core/access.ts'
import {
  hasGlobalAccess,
  type Permissions,
  permissionsOf,
  type RoleKind,
} from '../../src/core/permissions.ts'
import { type Policy, refusalBy } from '../../src/core/policy.ts'

export const KINDS = ['owner', 'admin', 'manager', 'developer', 'service', 'custom'] as const

/** What the custom role of these tables allows. */
export const CUSTOM: Permissions = {
  permissions: { Apps: ['read', 'create'], Members: ['read'] },
  appPermissions: { Secrets: ['read'] },
}

/** A caller with a role of this kind. */
export const holder = (kind: RoleKind, type: RoleHolder['type'] = 'user'): RoleHolder => ({
  type,
  id: `${type} ${kind}`,
  role: { id: `role ${kind}`, kind, permissions: permissionsOf(kind, CUSTOM) },
})

/** Every caller that can exist: a user with every role, a service account with every role without global access. */
export const HOLDERS: readonly RoleHolder[] = [
  ...KINDS.map((kind) => holder(kind)),
  ...KINDS.filter((kind) => !hasGlobalAccess(kind)).map((kind) => holder(kind, 'service_account')),
]

/** A policy's answer: null when it allows the action, else the status and the sentence of its refusal. */
export function answerOf<Facts>(policy: Policy<Facts>, facts: Facts): string | null {
  const refusal = refusalBy(policy, facts)
  return refusal === null ? null : `${refusal.status} ${refusal.message}`
}

/** A policy's status: 200 when it allows the action. */
export const statusOf = <Facts>(policy: Policy<Facts>, facts: Facts): number =>
  refusalBy(policy, facts)?.status ?? 200
