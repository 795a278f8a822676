import { Kind, type SchemaOptions, type TSchema, type TUnsafe, Type, TypeRegistry } from '@sinclair/typebox'
import {
  codePoints,
  hasInvisibleCharacter,
  hasTooManyMarks,
  isFarTooLong,
  MAX_MARKS_IN_A_ROW,
  normalisedCodePoints,
  normaliseName,
} from './text.ts'

/** A sentence that says what is wrong with a value, given the name of its field; null for a valid value. */
type FaultExplainer = (value: unknown, field: string, schema: Record<string, unknown>) => string | null

const explanations = new Map<string, FaultExplainer>()

/**
 * Makes a kind of TypeBox schema with its own check and error sentence. In the OpenAPI document it is `json`, a plain
 * JSON schema.
 */
export function defineKind(kind: string, explain: FaultExplainer) {
  explanations.set(kind, explain)
  TypeRegistry.Set<Record<string, unknown>>(kind, (schema, value) => explain(value, '', schema) === null)
  return <T>(json: SchemaOptions): TUnsafe<T> => ({ ...Type.Unsafe<T>(json), [Kind]: kind })
}

/** The sentence of a schema made by `defineKind` about a value that it refuses; null for every other schema. */
export function explainFault(schema: TSchema, value: unknown, field: string): string | null {
  return explanations.get(schema[Kind])?.(value, field, schema) ?? null
}

const text = defineKind('Text', (value, field, schema) => {
  if (typeof value !== 'string') return `${field} must be a string.`
  const maxLength = schema.maxLength as number
  const fault = normalisationFault(value, field, maxLength)
  if (fault !== null) return fault
  const minLength = (schema.minLength as number | undefined) ?? 0
  const length = codePoints(value)
  if (length > maxLength) return tooLong(field, maxLength)
  if (length < minLength) {
    return minLength === 1
      ? `${field} must not be empty.`
      : `${field} must have at least ${minLength} characters.`
  }
  return null
})

/** Free text of at most `maxLength` code points after NFC. */
export const Text = (
  maxLength: number,
  options: SchemaOptions & { minLength?: number } = {},
): TUnsafe<string> => text<string>({ ...options, type: 'string', maxLength })

const name = defineKind('Name', (value, field, schema) => {
  if (typeof value !== 'string') return `${field} must be a string.`
  const maxLength = schema.maxLength as number
  const fault = normalisationFault(value, field, maxLength)
  if (fault !== null) return fault
  const trimmed = normaliseName(value)
  if (trimmed === '') return `${field} is required.`
  if (hasInvisibleCharacter(trimmed)) return `${field} must not contain control or invisible characters.`
  return normalisedCodePoints(trimmed) > maxLength ? tooLong(field, maxLength) : null
})

/** A name of one line, 1 to `maxLength` code points once trimmed. */
export const Name = (maxLength = 64, options: SchemaOptions = {}): TUnsafe<string> =>
  name<string>({ ...options, type: 'string', minLength: 1, maxLength })

/** Why a text must not be normalised, which would take too long, as a sentence; null when it may be. */
export function normalisationFault(value: string, field: string, maxLength: number): string | null {
  if (isFarTooLong(value, maxLength)) return tooLong(field, maxLength)
  if (!hasTooManyMarks(value)) return null
  return `${field} must have at most ${MAX_MARKS_IN_A_ROW} combining marks in a row.`
}

const tooLong = (field: string, maxLength: number) => `${field} must have at most ${maxLength} characters.`

const email = defineKind('Email', (value, field) => {
  if (typeof value !== 'string') return `${field} must be a string.`
  return value.length <= 254 && EMAIL.test(value)
    ? null
    : `${field} must be an e-mail address of at most 254 ASCII characters.`
})

const EMAIL =
  /^(?!.{65,}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/

/** An e-mail address: ASCII, at most 254 characters. */
export const Email = (): TUnsafe<string> => email<string>({ type: 'string', format: 'email', maxLength: 254 })

const id = defineKind('Id', (value, field) => {
  if (typeof value !== 'string') return `${field} must be a string.`
  if (value === '') return `${field} must not be empty.`
  // Not in code points, as text: there may be thousands, and to normalise them takes long.
  return value.length > MAX_ID_LENGTH ? tooLong(field, MAX_ID_LENGTH) : null
})

const MAX_ID_LENGTH = 200

/** An id in a body: any string of a reasonable length; the use case answers 404 for an unknown id. */
export const Id = (options: SchemaOptions = {}): TUnsafe<string> =>
  id<string>({ ...options, type: 'string', minLength: 1, maxLength: MAX_ID_LENGTH })

/** A field that may be null, as OpenAPI 3.0 writes it. */
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** An instant in a response: ISO 8601 UTC with a trailing Z. */
export const Timestamp = () => Type.String({ format: 'date-time' })

/** An object that refuses unknown fields. */
export const StrictObject = ((properties, options = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false })) as typeof Type.Object
