import type { Caller } from '../actor.ts'
import { enforce } from '../policy.ts'
import * as policy from './policy.ts'

/** 403 for a caller that must set up a second factor first. */
export const requireFactor = ({ lacksRequiredFactor = false }: Caller): void =>
  enforce(policy.act, { lacksRequiredFactor })
