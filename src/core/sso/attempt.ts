import type { Context } from '../../context.ts'
import type { SsoError, SsoFailure } from '../../platform/sso/provider.ts'
import type { AccountRow } from '../accounts/account.ts'
import type { RequestSource } from '../actor.ts'
import { DomainError } from '../errors.ts'
import { logRepeated } from '../repeated-lines.ts'
import { recordFailedSignIn, recordStrangersFailure } from '../sign-in/sign-in-audit.ts'
import { outcomeOf } from '../sign-in/sign-in-metrics.ts'

/**
 * One step of a single sign-on. Whoever takes it notes the account that it is about once that is known, and before a
 * failure what the operator should know of its cause.
 */
export type Attempt = { account: AccountRow | null; cause: string | null }

/**
 * Takes a step of a single sign-on. When it fails, the person is told in one sentence, the audit log gets the reason, and
 * the log the cause, as far as the provider gave one. Too many requests and trouble of the database are not failures of
 * a sign-in.
 */
export async function attemptStep<T>(
  ctx: Context,
  source: RequestSource,
  { id, name }: Readonly<{ id: string; name: string }>,
  step: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const attempt: Attempt = { account: null, cause: null }
  try {
    return await step(attempt)
  } catch (error) {
    const failure = isSsoError(error) ? failureOf(error, name) : error
    if (failure instanceof DomainError && isOfTheSignIn(failure)) {
      const { requestId, ipAddress } = source
      ctx.metrics.countSignIn('sso', outcomeOf(failure))
      const cause = isSsoError(error) ? error.cause : attempt.cause
      const fields = { requestId, ipAddress, provider: id, cause }
      logRepeated(ctx.log, 'warn', fields, `A single sign-on failed: ${failure.message}`)
      const description = `Sign-in with ${name} failed: ${failure.message}`
      if (attempt.account === null) await recordStrangersFailure(ctx, description, source)
      else await recordFailedSignIn(ctx, attempt.account, description, source)
    }
    throw failure
  }
}

/** By its name: core knows the platform by its types alone. */
const isSsoError = (error: unknown): error is SsoError => error instanceof Error && error.name === 'SsoError'

const isOfTheSignIn = ({ status, message }: DomainError): boolean =>
  status !== 429 && (status !== 503 || message.includes(UNREACHABLE))

const UNREACHABLE = "can't be reached at the moment"

/** What people are told of a failure at the provider; its cause is for the operator alone. */
function failureOf({ reason }: SsoError, name: string): DomainError {
  const [status, sentence] = SENTENCES[reason]
  return new DomainError(status, sentence(name))
}

const SENTENCES: Readonly<Record<SsoFailure, readonly [400 | 403 | 503, (provider: string) => string]>> = {
  'provider-unavailable': [503, (name) => `${name} ${UNREACHABLE}. Try again soon, or sign in another way.`],
  declined: [403, (name) => `You were not signed in at ${name}.`],
  'refused-by-provider': [
    403,
    (name) => `${name} refused this sign-in. Tell the administrator of this service.`,
  ],
  'invalid-response': [
    400,
    (name) =>
      `What ${name} answered could not be verified. Start again; if it fails again, tell the administrator.`,
  ],
  'unverified-address': [
    403,
    (name) =>
      `${name} does not say that your e-mail address is verified. Verify it there, then sign in again.`,
  ],
}
