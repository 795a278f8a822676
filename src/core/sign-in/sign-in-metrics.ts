import type { Context } from '../../context.ts'
import type { SignInMethod, SignInOutcome } from '../../platform/metrics.ts'
import { DomainError } from '../errors.ts'

/**
 * Counts a sign-in that fails, by what it is refused with; one that succeeds is counted when its session is opened. An
 * unknown account and a wrong password are refused alike, and so counted alike.
 */
export async function countingFailures<T>(
  ctx: Context,
  method: SignInMethod,
  signIn: () => Promise<T>,
): Promise<T> {
  try {
    return await signIn()
  } catch (error) {
    ctx.metrics.countSignIn(method, outcomeOf(error))
    throw error
  }
}

/** How a sign-in that was refused with this error is counted. */
export function outcomeOf(error: unknown): SignInOutcome {
  if (!(error instanceof DomainError)) return 'error'
  return OUTCOMES.get(error.status) ?? 'error'
}

const OUTCOMES: ReadonlyMap<number, SignInOutcome> = new Map([
  [400, 'failed'],
  [401, 'failed'],
  [403, 'refused'],
  [404, 'failed'],
  [409, 'refused'],
  [429, 'limited'],
])
