import type { Context } from '../../context.ts'
import { enforce } from '../policy.ts'
import * as policy from './policy.ts'

/** 403 unless the caller has just signed in. */
export const requireRecentSignIn = (ctx: Context, signedInAt: Date): void =>
  enforce(policy.changeSignIn, {
    signedInSecondsAgo: (ctx.clock.now().getTime() - signedInAt.getTime()) / 1000,
  })
