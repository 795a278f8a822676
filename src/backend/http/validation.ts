import { Kind, type TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { quote } from '../../core/errors.ts'
import { explainFault } from '../../core/schema.ts'

type Schema = TSchema & Record<string, unknown>

/**
 * One sentence about a body or query of the wrong shape, without the value that was sent. `found` is the first that the
 * validator found. An unknown field is named first: it is most likely a misspelt required one.
 */
export function describeFault(whole: TSchema, value: unknown, found: ValueError | undefined): string {
  const unknown = unknownField(whole as Schema, value)
  if (unknown !== null) return `Unknown field ${quote(fieldName(unknown))}.`
  if (found === undefined) return 'The request is not valid.'
  const fault = besideNull(found)
  const subject = fieldName(partsOf(fault.path)) || 'The body'
  const schema = fault.schema as Schema
  switch (fault.type) {
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

/** The fault in what is neither null nor what a nullable field takes beside null; any other fault as it is. */
function besideNull(fault: ValueError): ValueError {
  const options = optionsBesideNull(fault.schema as Schema)
  if (options.length !== 1 || fault.value === null) return fault
  const index = (fault.schema.anyOf as Schema[]).indexOf(options[0] as Schema)
  const inner = fault.errors[index]?.First()
  return inner === undefined ? fault : besideNull(inner)
}

const optionsBesideNull = (schema: Schema): Schema[] =>
  schema[Kind] === 'Union' ? (schema.anyOf as Schema[]).filter((option) => option[Kind] !== 'Null') : []

/** What the schema, or the first of its options, says itself about a wrong value; null when it says nothing. */
function explanationOf(schema: Schema, value: unknown, subject: string): string | null {
  const options = schema[Kind] === 'Union' ? (schema.anyOf as TSchema[]) : [schema]
  for (const option of options) {
    const sentence = explainFault(option, value, subject)
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

/**
 * The path of the first unknown field; what an array has beyond the items that it may have is not looked at. The validator's
 * list of all faults would have it too, but costs many objects for each item.
 */
function unknownField(schema: Schema, value: unknown): readonly (string | number)[] | null {
  if (typeof value !== 'object' || value === null) return null
  const options = optionsBesideNull(schema)
  if (options.length === 1) return unknownField(options[0] as Schema, value)
  if (schema[Kind] === 'Array' && Array.isArray(value)) {
    const mostItems = schema.maxItems as number | undefined
    for (const [index, item] of value.slice(0, mostItems).entries()) {
      const found = unknownField(schema.items as Schema, item)
      if (found !== null) return [index, ...found]
    }
  }
  if (schema[Kind] !== 'Object' || Array.isArray(value)) return null
  const properties = schema.properties as Record<string, Schema>
  const names = Object.keys(value)
  const name = names.find((name) => !Object.hasOwn(properties, name))
  if (name !== undefined && schema.additionalProperties === false) return [name]
  for (const [known, property] of Object.entries(properties)) {
    const found = unknownField(property, (value as Record<string, unknown>)[known])
    if (found !== null) return [known, ...found]
  }
  return null
}

/** `/apps/0/environments` → `['apps', '0', 'environments']`. */
const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The path of a field in messages: `apps[0].environments`. */
const fieldName = (parts: readonly (string | number)[]): string =>
  parts
    .map(String)
    .reduce(
      (name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name === '' ? part : `${name}.${part}`),
      '',
    )
