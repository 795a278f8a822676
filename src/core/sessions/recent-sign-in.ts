import type { Context } from '../../context.ts'
import { enforce } from '../policy.ts'
import * as policy from './policy.ts'

/** 403 unless the caller has just signed in. */
export const requireRecentSignIn = (ctx: Context, signedInAt: Date): void =>
  enforce(policy.changeSignIn, ageOf(ctx, signedInAt))

/** How long ago a sign-in was. */
export const ageOf = ({ clock }: Pick<Context, 'clock'>, signedInAt: Date): policy.SignInAge => ({
  signedInSecondsAgo: (clock.now().getTime() - signedInAt.getTime()) / 1000,
})
