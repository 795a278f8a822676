import { refusalBy } from '../../../core/policy.ts'
import { act } from '../../../core/second-factor/policy.ts'
import { changeSignIn } from '../../../core/sessions/policy.ts'
import { isStatus } from './errors.ts'

/** The sentence with which the API refuses everything to an account that must have a second factor and has none. */
const FACTOR_NEEDED = refusalBy(act, { lacksRequiredFactor: true })?.message

/** The sentences of refusals that a new sign-in lifts begin alike. */
const SIGN_IN_AGAIN =
  refusalBy(changeSignIn, { signedInSecondsAgo: Number.POSITIVE_INFINITY })?.message.split(':')[0] ?? ''

/** Whether the API refused something because the account must set up a second factor first. */
export const isFactorNeeded = (error: unknown): boolean =>
  isStatus(error, 403) && error.message === FACTOR_NEEDED

/** Whether the API refused something because the sign-in is more than 10 minutes ago. */
export const isSignInTooOld = (error: unknown): boolean =>
  isStatus(error, 403) && error.message.startsWith(SIGN_IN_AGAIN)
