import { RECENT_SIGN_IN_SECONDS } from '../organisations/policy.ts'
import { forbid, type Policy } from '../policy.ts'

/** Adding or removing a way to sign in to the own account. */
export const changeWaysIn: Policy<{ signedInSecondsAgo: number }> = [
  forbid(
    'Sign in again: ways to sign in can only be changed within 10 minutes of a sign-in.',
    // A negative time means that a clock was set back: such a sign-in does not count as recent.
    ({ signedInSecondsAgo }) => signedInSecondsAgo < 0 || signedInSecondsAgo > RECENT_SIGN_IN_SECONDS,
  ),
]

/** Removing a way to sign in; `others` is how many remain. */
export const removeWayIn: Policy<{ others: number }> = [
  forbid(
    'This is the only way to sign in to your account. Add another one first.',
    ({ others }) => others === 0,
  ),
]
