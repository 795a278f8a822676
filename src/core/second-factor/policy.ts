import { hasGlobalAccess, type RoleKind } from '../permissions.ts'
import { forbid, type Policy } from '../policy.ts'

/** Whom REQUIRE_SECOND_FACTOR asks for a second factor. */
export type FactorRequirement = 'off' | 'admins' | 'everyone'

/** A session: how it was opened, whether its account has a second factor, and its role's kind, null without a membership. */
export type FactorFacts = Readonly<{
  requirement: FactorRequirement
  method: 'password' | 'passkey' | 'sso'
  hasFactor: boolean
  kind: RoleKind | null
}>

/**
 * Whether a session lacks a second factor that is required. A passkey is one by itself; after single sign-on it is the
 * identity provider's duty. Access tokens are not asked: whoever created one had a session that did not lack it.
 */
export function lacksRequiredFactor({ requirement, method, hasFactor, kind }: FactorFacts): boolean {
  if (method !== 'password' || hasFactor || requirement === 'off') return false
  return requirement === 'everyone' || (kind !== null && hasGlobalAccess(kind))
}

/** Doing anything but setting up a factor, signing out and asking who one is. */
export const act: Policy<{ lacksRequiredFactor: boolean }> = [
  forbid(
    'Set up a second factor first: this deployment requires one.',
    ({ lacksRequiredFactor }) => lacksRequiredFactor,
  ),
]

/** Something that is asked of an account with a second factor once more. */
export const confirmWithFactor: Policy<{ hasFactor: boolean; isSent: boolean }> = [
  forbid(
    'Confirm this with your second factor: send totp, recovery_code or passkey.',
    ({ hasFactor, isSent }) => hasFactor && !isSent,
  ),
]
