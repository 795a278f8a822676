import { Kind, type TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { quote } from '../core/errors.ts'
import { explain } from '../core/schema.ts'

type Schema = TSchema & Record<string, unknown>

/**
 * One sentence about a body or query that has the wrong shape, without the value that was sent. A field that nobody
 * knows goes before one that is missing: it is most likely the misspelt name of it. Faults are asked for only until one
 * is found to tell of, since each costs a walk through what was sent.
 */
export function describeFaults(faults: Iterable<ValueError>): string {
  const fault = faultToTell(faults)
  if (fault === undefined) return 'The request is not valid.'
  const subject = fieldName(fault.path) || 'The body'
  const schema = fault.schema as Schema
  switch (fault.type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return `Unknown field ${quote(subject)}.`
    case ValueErrorType.ObjectRequiredProperty:
      return `${subject} is required.`
    case ValueErrorType.ObjectMinProperties:
      return 'At least one field must be present.'
    case ValueErrorType.ArrayMinItems:
      return `${subject} must not be empty.`
    case ValueErrorType.ArrayMaxItems:
      return `${subject} must have at most ${schema.maxItems} items.`
    case ValueErrorType.ArrayUniqueItems:
      return `${subject} must not list an item twice.`
    default:
      return explanationOf(schema, fault.value, subject) ?? expectationOf(schema, subject)
  }
}

function faultToTell(faults: Iterable<ValueError>): ValueError | undefined {
  let first: ValueError | undefined
  for (const fault of faults) {
    if (fault.type === ValueErrorType.ObjectAdditionalProperties) return fault
    first ??= fault
    if (!OF_A_WHOLE_OBJECT.has(fault.type)) return first
  }
  return first
}

/** Faults after which those of the same object's unknown fields still come. */
const OF_A_WHOLE_OBJECT: ReadonlySet<ValueErrorType> = new Set([
  ValueErrorType.ObjectRequiredProperty,
  ValueErrorType.ObjectMinProperties,
])

/** What the options of a schema say themselves of a value; null when they say nothing. */
function explanationOf(schema: Schema, value: unknown, subject: string): string | null {
  const options = schema[Kind] === 'Union' ? (schema.anyOf as TSchema[]) : [schema]
  for (const option of options) {
    const sentence = explain(option, value, subject)
    if (sentence !== null) return sentence
  }
  return null
}

function expectationOf(schema: Schema, subject: string): string {
  const options = (schema.anyOf as Schema[] | undefined) ?? [schema]
  const literals = options.flatMap(({ const: value }) => value ?? [])
  if (literals.length > 0) return `${subject} must be one of ${literals.join(', ')}.`
  const { type, minimum, maximum, pattern, description } = { ...options[0], ...schema } as Record<
    string,
    unknown
  >
  if (minimum !== undefined && maximum !== undefined) {
    return `${subject} must be a whole number from ${minimum} to ${maximum}.`
  }
  if (pattern !== undefined && typeof description === 'string')
    return `${subject} must be ${lowerFirst(description)}`
  if (type === 'object' || type === 'array' || type === 'integer') return `${subject} must be an ${type}.`
  return typeof type === 'string' ? `${subject} must be a ${type}.` : `${subject} is not valid.`
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

/** `/apps/0/environments` as a person writes it: `apps[0].environments`. */
const fieldName = (path: string): string =>
  path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`),
      '',
    )
