import type { TSchema } from '@sinclair/typebox'
import type { ValueError } from '@sinclair/typebox/errors'
import { Value } from '@sinclair/typebox/value'
import { DomainError, tooMany } from '../core/errors.ts'
import { isBusy, isUnavailable } from '../platform/database.ts'
import { Busy } from '../platform/gate.ts'
import type { Log } from '../platform/log.ts'
import { PasswordsBusy } from '../platform/passwords.ts'
import { describeFaults } from './validation.ts'

/** An answer to a request that failed: always exactly one sentence. */
export type Failure = Readonly<{
  status: number
  error: string
  headers: Readonly<Record<string, string>>
  /** The environment that the sentence names. */
  environmentId?: string | null
}>

/** Turns whatever was thrown into an answer. What nobody foresaw is a 500, whose cause only the log learns. */
export function failureOf(code: string | number, error: unknown, log: Log, requestId: string): Failure {
  if (error instanceof PasswordsBusy) return failureOf(code, tooMany(error.message, 1), log, requestId)
  if (error instanceof DomainError) {
    const { status, message, headers, environmentId } = error
    return { status, error: message, headers, environmentId }
  }
  if (code === 'NOT_FOUND') return { status: 404, error: 'There is nothing at this path.', headers: {} }
  if (code === 'VALIDATION' && isRequestFault(error)) {
    // A place in the path that can't be decoded names nothing.
    if (error.type === 'params') return { status: 404, error: 'There is nothing at this path.', headers: {} }
    return { status: 400, error: describeFaults(faultsOf(error)), headers: {} }
  }
  const reason = outage(error)
  if (reason !== null) {
    log.warn({ requestId, code: (error as { code?: string }).code }, reason)
    return { status: 503, error: reason, headers: { 'retry-after': '1' } }
  }
  log.error({ requestId, ...causeOf(error) }, 'a request failed')
  return { status: 500, error: 'Something went wrong on our side.', headers: {} }
}

/** Why it is worth trying again soon; null when it is not. */
function outage(error: unknown): string | null {
  if (isUnavailable(error)) return 'The database cannot be reached at the moment.'
  if (isBusy(error) || error instanceof Busy)
    return 'The database is busy at the moment. Try again in a second.'
  return null
}

type Validator = { Errors(value: unknown): Iterable<ValueError> }
type RequestFault = { type: string; validator: Validator | TSchema; value: unknown; valueError?: ValueError }

const isRequestFault = (error: unknown): error is RequestFault =>
  typeof error === 'object' && error !== null && (error as RequestFault).type !== 'response'

/** The faults one after the other: the first is known, the others are looked for as they are asked for. */
function* faultsOf({ validator, value, valueError }: RequestFault): Iterable<ValueError> {
  if (valueError !== undefined) yield valueError
  const isCompiled = 'Errors' in validator
  yield* isCompiled ? (validator as Validator).Errors(value) : Value.Errors(validator as TSchema, value)
}

/** The name and place of an unforeseen error: its message may hold values, so it stays out of the log. */
function causeOf(error: unknown) {
  if (!(error instanceof Error)) return { cause: typeof error }
  const { code, constraint_name } = error as { code?: string; constraint_name?: string }
  const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return { cause: error.name, code, constraint: constraint_name, stack }
}
