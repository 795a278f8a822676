import { forbid, type Policy, refuse } from '../policy.ts'

/** Beginning a sign-in. `hasSetupToken` tells whether the right one was sent, or none is needed. */
export const start: Policy<{ isFirst: boolean; hasSetupToken: boolean }> = [
  forbid(
    'The first account needs setup_token, with the value of SETUP_TOKEN.',
    ({ isFirst, hasSetupToken }) => isFirst && !hasSetupToken,
  ),
]

/** Letting in whom a provider vouches for. `provider` is its name. */
export const admit: Policy<{
  provider: string
  isVerified: boolean
  isUsable: boolean
  isAllowedDomain: boolean
}> = [
  refuse(403, ({ provider, isVerified }) =>
    isVerified
      ? null
      : `${provider} does not say that your e-mail address is verified. Verify it there, then sign in again.`,
  ),
  refuse(403, ({ provider, isUsable }) =>
    isUsable ? null : `Your profile at ${provider} has an e-mail address or an id that can't be used here.`,
  ),
  forbid('E-mail addresses of this domain may not sign in here.', ({ isAllowedDomain }) => !isAllowedDomain),
]

/** Completing a link: where it was started, and where it comes back. */
export const completeLink: Policy<{ isSameSession: boolean }> = [
  forbid(
    'The session that started this is no longer the one of this browser. Sign in, and start again.',
    ({ isSameSession }) => !isSameSession,
  ),
]

/**
 * Signing in with an identity that no account has, where an account has its address. `isUnclaimed`: the address was never
 * verified, and the account was never a member.
 */
export const takeAccount: Policy<{
  provider: string
  isPermitted: boolean
  hasInvite: boolean
  isUnclaimed: boolean
}> = [
  refuse(403, ({ provider, isPermitted, hasInvite, isUnclaimed }) =>
    isPermitted || (hasInvite && isUnclaimed)
      ? null
      : `An account with your e-mail address exists. Sign in to it as before, and link ${provider} to it there.`,
  ),
]

/** Linking an identity to the account that is signed in; null for an identity or a link that there is not. */
export const link: Policy<{
  provider: string
  userId: string
  /** Whose identity it is. */
  linkedUserId: string | null
  /** Whether the account has another identity at this provider. */
  hasAnother: boolean
}> = [
  refuse(409, ({ provider, userId, linkedUserId }) =>
    linkedUserId === null || linkedUserId === userId
      ? null
      : `This account at ${provider} is linked to another account here.`,
  ),
  refuse(409, ({ provider, hasAnother }) =>
    hasAnother
      ? `Another account at ${provider} is linked to your account already. Unlink that one first.`
      : null,
  ),
]
