import type { TSchema } from '@sinclair/typebox'
import type { ValueError } from '@sinclair/typebox/errors'
import { DomainError, tooMany } from '../../core/errors.ts'
import { TooBusyError } from '../../platform/limiter.ts'
import type { Log } from '../../platform/log.ts'
import { PasswordsBusy } from '../../platform/passwords.ts'
import { OutcomeUnknown, outageOf, outageSentence } from '../../platform/postgres/outages.ts'
import { describeFault } from './validation.ts'

/** An answer to a request that failed: always exactly one sentence. */
export type ErrorResponse = Readonly<{
  status: number
  error: string
  headers: Readonly<Record<string, string>>
  /** The environment that the sentence names. */
  environmentId?: string | null
}>

/** Turns whatever was thrown into an answer. What nobody foresaw is a 500, whose cause only the log learns. */
export function errorResponse(
  code: string | number,
  error: unknown,
  log: Log,
  requestId: string,
): ErrorResponse {
  if (error instanceof PasswordsBusy) return errorResponse(code, tooMany(error.message, 1), log, requestId)
  if (error instanceof DomainError) {
    const { status, message, headers, environmentId } = error
    return { status, error: message, headers, environmentId }
  }
  if (code === 'NOT_FOUND') return { status: 404, error: 'There is nothing at this path.', headers: {} }
  if (code === 'VALIDATION' && isRequestFault(error)) {
    // A place in the path that can't be decoded names nothing.
    if (error.type === 'params') return { status: 404, error: 'There is nothing at this path.', headers: {} }
    return {
      status: 400,
      error: describeFault(error.validator.schema, error.value, error.valueError),
      headers: {},
    }
  }
  const reason = unavailableReason(error)
  if (reason !== null) {
    log.warn({ requestId, code: (error as { code?: string }).code }, reason)
    return { status: 503, error: reason, headers: { 'retry-after': '1' } }
  }
  log.error({ requestId, ...safeCause(error) }, 'a request failed')
  return { status: 500, error: 'Something went wrong on our side.', headers: {} }
}

/** Why it is worth trying again soon; null when it is not. */
function unavailableReason(error: unknown): string | null {
  if (error instanceof OutcomeUnknown) return UNKNOWN_OUTCOME
  const outage = error instanceof TooBusyError ? 'busy' : outageOf(error)
  return outage === null ? null : outageSentence(outage)
}

const UNKNOWN_OUTCOME =
  'The database stopped answering in the middle of the change, which may or may not have been made: ' +
  'check before you repeat it.'

/** A fault that the router's validator found. Its own description, `all`, holds what was sent and may fail over it. */
type Fault = {
  type: string
  validator: { schema: TSchema }
  value: unknown
  valueError: ValueError | undefined
}

const isRequestFault = (error: unknown): error is Fault =>
  typeof error === 'object' && error !== null && (error as Fault).type !== 'response'

/**
 * The name and place of an unforeseen error: its message may hold values, so it stays out of the log. Of an answer
 * that does not fit its schema only the place in it is told.
 */
function safeCause(error: unknown) {
  if (!(error instanceof Error)) return { cause: typeof error }
  const { type, valueError } = error as Error & Partial<Fault>
  if (type === 'response')
    return { cause: 'the answer does not fit its schema', path: valueError?.path ?? '' }
  const { code, constraint_name } = error as { code?: string; constraint_name?: string }
  const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return { cause: error.name, code, constraint: constraint_name, stack }
}
