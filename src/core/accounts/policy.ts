import { forbid, type Policy } from '../policy.ts'

/**
 * Registering an account. `hasSetupToken` says whether the right one was sent, or none is needed. Whether an invite is
 * good is for its acceptance to say. API.md, Around it.
 */
export const register: Policy<{
  isFirst: boolean
  hasSetupToken: boolean
  isOpen: boolean
  hasInvite: boolean
}> = [
  forbid(
    'The first account needs the right setup_token: the value of SETUP_TOKEN.',
    ({ isFirst, hasSetupToken }) => isFirst && !hasSetupToken,
  ),
  forbid(
    'Registration is by invite only.',
    ({ isFirst, isOpen, hasInvite }) => !isFirst && !isOpen && !hasInvite,
  ),
]
