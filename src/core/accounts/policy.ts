import { forbid, type Policy } from '../policy.ts'

/**
 * Registering an account. `hasSetupToken` tells whether the right one was sent, or none is needed. Whether an invite is
 * valid is checked when it is accepted.
 */
export const register: Policy<{
  isFirst: boolean
  hasSetupToken: boolean
  isOpen: boolean
  hasInvite: boolean
  isAllowedAddress: boolean
}> = [
  forbid(
    'The first account needs setup_token, with the value of SETUP_TOKEN.',
    ({ isFirst, hasSetupToken }) => isFirst && !hasSetupToken,
  ),
  forbid(
    'Registration is by invite only.',
    ({ isFirst, isOpen, hasInvite }) => !isFirst && !isOpen && !hasInvite,
  ),
  forbid(
    'E-mail addresses of this domain may not have an account here.',
    ({ isAllowedAddress }) => !isAllowedAddress,
  ),
]
