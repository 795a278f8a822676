import { Type } from '@sinclair/typebox'
import { badRequest } from '../errors.ts'
import { defineKind, explainFault, Name, normalisationFault } from '../schema.ts'
import { normaliseName } from '../text.ts'

const MAX_TAGS = 20
const MAX_TAG_LENGTH = 64

/** Each is compared with each tag of each secret. */
const MAX_TAGS_OF_FILTER = 100

const name = Name(MAX_TAG_LENGTH)

const tag = defineKind('Tag', (value, field) => {
  const fault = explainFault(name, value, field)
  if (fault !== null) return fault
  // A filter names several tags with commas between them.
  return String(value).includes(',') ? `${field} must not contain a comma.` : null
})

/** The tags of a secret in a body. */
export const Tags = () =>
  Type.Array(tag<string>({ type: 'string', minLength: 1, maxLength: MAX_TAG_LENGTH }), {
    maxItems: MAX_TAGS,
    description: 'Names to find the secret by, without commas; null for none.',
  })

/** Tags as they are stored; 400 when one is repeated. `field` names them in the error. */
export function normaliseTags(tags: readonly string[], field: string): string[] {
  const stored = tags.map(normaliseName)
  if (new Set(stored).size < stored.length) throw badRequest(`${field} must not list a tag twice.`)
  return stored
}

/**
 * The tags that a filter names, with commas between them, each once; 400 for too many, and for one that no secret can have
 * because it takes too long to compare. `field` names them in the error.
 */
export function tagsOfFilter(text: string, field: string): string[] {
  const named = text.split(',')
  if (named.length > MAX_TAGS_OF_FILTER) throw tooManyTags(field)
  for (const [index, tag] of named.entries()) {
    const fault = normalisationFault(tag, `${field}[${index}]`, MAX_TAG_LENGTH)
    if (fault !== null) throw badRequest(fault)
  }
  const tags = new Set(named.map(normaliseName))
  tags.delete('')
  return [...tags]
}

const tooManyTags = (field: string) => badRequest(`${field} must name at most ${MAX_TAGS_OF_FILTER} tags.`)
