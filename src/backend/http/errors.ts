import type { TSchema } from '@sinclair/typebox'
import type { ValueError } from '@sinclair/typebox/errors'
import { DomainError, tooMany } from '../../core/errors.ts'
import { logRepeated } from '../../core/repeated-lines.ts'
import { ProcessorBusy } from '../../platform/blocking-turns.ts'
import { CallerBusyError, TooBusyError } from '../../platform/limiter.ts'
import type { Log } from '../../platform/log.ts'
import { PasswordsBusy } from '../../platform/password-turns.ts'
import { RenewalsBusy } from '../../platform/postgres/limiters.ts'
import { OutcomeUnknown, outageOf, outageSentence } from '../../platform/postgres/outages.ts'
import { describeFault } from './validation.ts'

/** The response to a request that failed: always exactly one sentence. */
export type ErrorResponse = Readonly<{
  status: number
  message: string
  headers: Readonly<Record<string, string>>
  /** The environment that the message names. */
  environmentId?: string | null
}>

export const NOT_FOUND = 'Not found: there is nothing at this path.'

/** The response for whatever was thrown. Unexpected errors are a 500; their cause goes to the log only. */
export function errorResponse(
  code: string | number,
  error: unknown,
  log: Log,
  requestId: string,
): ErrorResponse {
  if (error instanceof PasswordsBusy) return errorResponse(code, tooMany(error.message, 1), log, requestId)
  if (error instanceof RenewalsBusy) return errorResponse(code, tooMany(error.message, 5), log, requestId)
  if (error instanceof DomainError) {
    const { status, message, headers, environmentId } = error
    return { status, message, headers, environmentId }
  }
  if (code === 'NOT_FOUND') return { status: 404, message: NOT_FOUND, headers: {} }
  if (code === 'VALIDATION' && isRequestFault(error)) {
    // A path parameter that can't be decoded is not found.
    if (error.type === 'params') return { status: 404, message: NOT_FOUND, headers: {} }
    return {
      status: 400,
      message: describeFault(error.validator.schema, error.value, error.valueError),
      headers: {},
    }
  }
  const reason = unavailableReason(error)
  if (reason !== null) {
    logRepeated(log, 'warn', { requestId, code: (error as { code?: string }).code }, reason)
    return { status: 503, message: reason, headers: { 'retry-after': '1' } }
  }
  log.error({ requestId, ...safeCause(error) }, 'Request failed')
  return { status: 500, message: INTERNAL_ERROR, headers: {} }
}

/** As it is sent: with the one field `error`. */
export const toResponse = ({ status, message, headers }: ErrorResponse): Response =>
  Response.json({ error: message }, { status, headers })

const INTERNAL_ERROR = "Internal error. The log has the details under the request's id."

/** Why the request should be retried soon; null when a retry is pointless. */
function unavailableReason(error: unknown): string | null {
  if (error instanceof OutcomeUnknown) return UNKNOWN_OUTCOME
  if (error instanceof CallerBusyError || error instanceof ProcessorBusy) return error.message
  const outage = error instanceof TooBusyError ? 'busy' : outageOf(error)
  return outage === null ? null : outageSentence(outage)
}

const UNKNOWN_OUTCOME =
  'The database stopped answering in the middle of the change, which may or may not have been made: ' +
  'check before you repeat it.'

/** A fault that the router's validator found. Its property `all` is not used: it repeats the values, and may throw. */
type Fault = {
  type: string
  validator: { schema: TSchema }
  value: unknown
  valueError: ValueError | undefined
}

const isRequestFault = (error: unknown): error is Fault =>
  typeof error === 'object' && error !== null && (error as Fault).type !== 'response'

/**
 * The name and stack of an unexpected error, without its message, which may hold values. For a response that does not fit
 * its schema, the path of the field.
 */
function safeCause(error: unknown) {
  if (!(error instanceof Error)) return { cause: typeof error }
  const { type, valueError } = error as Error & Partial<Fault>
  if (type === 'response')
    return { cause: 'the response does not fit its schema', path: valueError?.path ?? '' }
  const { code, constraint_name } = error as { code?: string; constraint_name?: string }
  const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return { cause: error.name, code, constraint: constraint_name, stack }
}
