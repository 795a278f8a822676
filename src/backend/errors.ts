import { Kind, type TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { DomainError, quote, tooMany } from '../core/errors.ts'
import { explain } from '../core/schema.ts'
import { isUnavailable } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { PasswordsBusy } from '../platform/passwords.ts'

/** An answer to a request that failed: always exactly one sentence. */
export type Failure = Readonly<{ status: number; error: string; headers: Readonly<Record<string, string>> }>

/** Turns whatever was thrown into an answer. What nobody foresaw is a 500, whose cause only the log learns. */
export function failureOf(code: string | number, error: unknown, log: Log, requestId: string): Failure {
  if (error instanceof PasswordsBusy) return failureOf(code, tooMany(error.message, 1), log, requestId)
  if (error instanceof DomainError)
    return { status: error.status, error: error.message, headers: error.headers }
  if (code === 'NOT_FOUND') return { status: 404, error: 'There is nothing at this path.', headers: {} }
  if (code === 'VALIDATION' && isRequestFault(error)) {
    return { status: 400, error: describe(error.all as unknown as ValueError[]), headers: {} }
  }
  if (isUnavailable(error)) {
    log.warn({ requestId, code: (error as { code: string }).code }, 'the database cannot be reached')
    return {
      status: 503,
      error: 'The database cannot be reached at the moment.',
      headers: { 'retry-after': '1' },
    }
  }
  log.error({ requestId, ...causeOf(error) }, 'a request failed')
  return { status: 500, error: 'Something went wrong on our side.', headers: {} }
}

type RequestFault = { type: string; all: { path?: string }[] }

const isRequestFault = (error: unknown): error is RequestFault =>
  typeof error === 'object' && error !== null && (error as RequestFault).type !== 'response'

/** The name and place of an unforeseen error: its message may hold values, so it stays out of the log. */
function causeOf(error: unknown) {
  if (!(error instanceof Error)) return { cause: typeof error }
  const { code, constraint_name } = error as { code?: string; constraint_name?: string }
  const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return { cause: error.name, code, constraint: constraint_name, stack }
}

/** One sentence about the first fault of a body or query, without the value that was sent. */
function describe(faults: readonly ValueError[]): string {
  const fault = faults[0]
  if (fault === undefined) return 'The request is not valid.'
  const field = fieldName(fault.path)
  const schema = fault.schema as TSchema & Record<string, unknown>
  const subject = field === '' ? 'The body' : field
  switch (fault.type) {
    case ValueErrorType.ObjectRequiredProperty:
      return `${subject} is required.`
    case ValueErrorType.ObjectAdditionalProperties:
      return `Unknown field ${quote(field)}.`
    case ValueErrorType.ObjectMinProperties:
      return 'At least one field must be present.'
    case ValueErrorType.ArrayMinItems:
      return `${subject} must not be empty.`
    case ValueErrorType.ArrayMaxItems:
      return `${subject} must have at most ${schema.maxItems} items.`
    case ValueErrorType.ArrayUniqueItems:
      return `${subject} must not list an item twice.`
    default:
      return explainDeep(schema, fault, subject) ?? expectation(schema, subject)
  }
}

function explainDeep(
  schema: TSchema & Record<string, unknown>,
  fault: ValueError,
  subject: string,
): string | null {
  if (schema[Kind] !== 'Union') return explain(schema, fault.value, subject)
  for (const option of schema.anyOf as TSchema[]) {
    const sentence = explain(option, fault.value, subject)
    if (sentence !== null) return sentence
  }
  return null
}

function expectation(schema: TSchema & Record<string, unknown>, subject: string): string {
  const [option] = (schema.anyOf as (TSchema & Record<string, unknown>)[] | undefined) ?? [schema]
  const { type, minimum, maximum, description } = { ...schema, ...(option ?? schema) } as Record<
    string,
    unknown
  >
  const literals = (schema.anyOf as { const?: string }[] | undefined)?.flatMap(
    ({ const: value }) => value ?? [],
  )
  if (literals !== undefined && literals.length > 0)
    return `${subject} must be one of ${literals.join(', ')}.`
  if (minimum !== undefined && maximum !== undefined) {
    return `${subject} must be a whole number from ${minimum} to ${maximum}.`
  }
  if (schema.pattern !== undefined && description !== undefined)
    return `${subject} is not valid: ${description}`
  if (typeof type === 'string')
    return `${subject} must be ${type === 'object' || type === 'array' || type === 'integer' ? 'an' : 'a'} ${type}.`
  return `${subject} is not valid.`
}

const fieldName = (path: string): string =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`),
      '',
    )
