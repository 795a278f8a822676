import { forbid, type Policy } from '../policy.ts'

/** How long after a sign-in ownership and the ways to sign in can be changed. */
const RECENT_SIGN_IN_SECONDS = 10 * 60

/** How long ago a session was opened. */
export type SignInAge = Readonly<{ signedInSecondsAgo: number }>

/** Whether a sign-in is too old, or in the future: a negative time means that a clock was set back. */
export const isNotRecent = ({ signedInSecondsAgo }: SignInAge): boolean =>
  signedInSecondsAgo < 0 || signedInSecondsAgo > RECENT_SIGN_IN_SECONDS

/** How the sentence of each refusal begins that a new sign-in lifts. */
export const SIGN_IN_AGAIN = 'Sign in again: '

/** Changing how an account signs in. */
export const changeSignIn: Policy<SignInAge> = [
  forbid(`${SIGN_IN_AGAIN}this can only be done within 10 minutes of a sign-in.`, isNotRecent),
]
