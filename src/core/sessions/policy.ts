import { forbid, type Policy } from '../policy.ts'

/** How long after a sign-in the ways to sign in can be changed. */
export const RECENT_SIGN_IN_SECONDS = 10 * 60

/** Changing how an account signs in. */
export const changeSignIn: Policy<{ signedInSecondsAgo: number }> = [
  forbid(
    'Sign in again: this can only be done within 10 minutes of a sign-in.',
    // A negative time means that a clock was set back: such a sign-in does not count as recent.
    ({ signedInSecondsAgo }) => signedInSecondsAgo < 0 || signedInSecondsAgo > RECENT_SIGN_IN_SECONDS,
  ),
]
